import { execFileSync } from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { lines } from "./dataset.ts";
import { hostExecutable, startServer } from "./server.ts";
import { type Found, playRound, restartIfDown, type Site, TRIALS } from "./trial.ts";
import { checkEnd, watchPulse, watchSlow } from "./watch.ts";

/*
 * `npm run fuzz`: whatever is sent to the built executable, it must respond correctly, leak no secret, and stay up.
 */

const HELP = `npm run fuzz -- [OPTIONS]

  --seed N           reproduces the same cases (default: random, and printed)
  --seconds N        duration (60)
  --requests N       maximum number of cases
  --executable FILE  the executable to test (dist/flagstone-<this machine's>, built if it is missing or older than
                     the sources)
  --json             print the result as JSON
  --help

Exit code 0 if nothing was found, 1 if something was, 2 for invalid options.
`;

/** Parses the command line. @throws Error for invalid options */
function readOptions() {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: String(crypto.randomInt(2 ** 24)) },
      seconds: { type: "string", default: "60" },
      requests: { type: "string", default: "1000000" },
      executable: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const number = (name: "seed" | "seconds" | "requests") => {
    if (!/^\d{1,9}$/.test(values[name])) throw new Error(`--${name}: must be a whole number`);
    return Number(values[name]);
  };
  return { ...values, seed: number("seed"), seconds: number("seconds"), requests: number("requests") };
}

type Options = ReturnType<typeof readOptions>;

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

interface Report {
  seed: number;
  executable: string;
  seconds: number;
  /** Cases by kind, responses by status. */
  counts: Record<string, number>;
  /** The slowest plain request on a new connection, in milliseconds. */
  slowest: number;
  /** Of the server at the end, in bytes; undefined if unknown. */
  memory: number | undefined;
  found: Found[];
}

/** The report in human-readable form. */
function toText({ seed, executable, seconds, counts, slowest, memory, found }: Report): string {
  const list = Object.entries(counts).map(([name, count]) => `${count} × ${name}`);
  return [
    ...found.map((one) => `${toFindingText(one, seed)}\n`),
    `seed ${seed}, ${executable}, ${Math.round(seconds)} s`,
    `cases and responses: ${list.join(", ")}`,
    `slowest plain request meanwhile: ${Math.round(slowest)} ms`,
    ...(memory === undefined ? [] : [`memory at the end: ${Math.round(memory / 1e6)} MB`]),
    found.length === 0 ? "nothing found" : `${found.length} found`,
    "",
  ].join("\n");
}

const toFindingText = ({ kind, message, shown, alone }: Found, seed: number) =>
  [
    `FOUND (${kind}, --seed ${seed}): ${message}`,
    ...(shown === "" ? [] : [`sent: ${shown}`]),
    alone === undefined ? "does not fail in isolation" : `shortest case that fails in isolation: ${alone}`,
    "",
  ].join("\n");
