import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { lines } from "./dataset.ts";
import { checkEnd } from "./end.ts";
import { hostExecutable } from "./executable.ts";
import { HELP, type Options, readOptions } from "./options.ts";
import { watchPulse } from "./pulse.ts";
import { type Report, toText } from "./report.ts";
import { type Found, playRound, restartIfDown } from "./rounds.ts";
import { startServer } from "./server.ts";
import { watchSlow } from "./slow.ts";
import { type Site, TRIALS } from "./trial.ts";

/*
 * `npm run fuzz`: whatever is sent to the built executable, it must respond correctly, leak no secret, and stay up.
 */

/** Stop after this many; more findings mostly have the same cause. */
const MAX_FINDINGS = 10;

const progress = (text: string) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
};

async function prepare(executable: string, folder: string): Promise<Site> {
  const data = path.join(folder, "data", "flags.db");
  fs.mkdirSync(path.dirname(data));
  const input = lines().map((line) => JSON.stringify(line));
  execFileSync(executable, ["import", "-", "--data", data, "--quiet"], {
    input: input.join("\n"),
    env: {},
    stdio: ["pipe", "ignore", "inherit"],
  });
  return { executable, folder, data, server: await startServer(executable, data), counts: {} };
}

/** Plays rounds until the time or the number of cases is used up, or there are enough findings. */
async function playRounds(site: Site, { seed, seconds, requests }: Options): Promise<Found[]> {
  const end = performance.now() + seconds * 1000;
  const kinds = [...new Set(TRIALS.map(({ kind }) => kind))];
  const tried = () => kinds.reduce((sum, kind) => sum + (site.counts[kind] ?? 0), 0);
  const continues = () => performance.now() < end && tried() < requests;
  const found: Found[] = [];
  for (let round = 0; continues() && found.length < MAX_FINDINGS; round++) {
    found.push(...(await playRound(site, seed * 65_537 + round, continues)));
    await restartIfDown(site);
    progress(`${tried()} cases, ${found.length} found`);
  }
  return found;
}

async function fuzz(options: Options, folder: string): Promise<Report> {
  const begin = performance.now();
  const site = await prepare(path.resolve(options.executable ?? hostExecutable()), folder);
  try {
    const [pulse, slow] = [watchPulse(site), watchSlow(site)];
    const found = await playRounds(site, options);
    const { slowest, found: missed } = await pulse.stop();
    found.push(...missed, ...(await slow.stop()));
    const end = await checkEnd(site);
    found.push(...end.found);
    const { seed } = options;
    const seconds = (performance.now() - begin) / 1000;
    const { executable, counts } = site;
    return { seed, executable, seconds, counts, slowest, memory: end.memory, found };
  } finally {
    site.server.child.kill("SIGKILL"); // in case the fuzzer itself failed
  }
}

async function run(options: Options) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-fuzz-"));
  process.stderr.write(`seed ${options.seed}\n`);
  try {
    const report = await fuzz(options, folder);
    progress("");
    process.stdout.write(options.json ? `${JSON.stringify(report, undefined, 2)}\n` : toText(report));
    process.exitCode = report.found.length > 0 ? 1 : 0;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

try {
  const options = readOptions();
  if (options.help) process.stdout.write(HELP);
  else await run(options);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}
