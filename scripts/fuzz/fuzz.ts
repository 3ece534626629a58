import { execFileSync } from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { DIST, ROOT } from "../bundle.ts";
import { lines } from "./dataset.ts";
import { requireEnd } from "./end.ts";
import { watchPulse } from "./pulse.ts";
import { type Report, toText } from "./report.ts";
import { playRound, revive } from "./rounds.ts";
import { startServer } from "./server.ts";
import type { Site } from "./trial.ts";

/*
 * `npm run fuzz`: whatever is sent to the built executable, it answers in order, tells no secret, and lives.
 */

const { values: asked } = parseArgs({
  options: {
    seed: { type: "string", default: String(crypto.randomInt(2 ** 24)) },
    seconds: { type: "string", default: "60" },
    requests: { type: "string", default: "1000000" },
    executable: { type: "string" },
    json: { type: "boolean" },
    help: { type: "boolean" },
  },
});

const HELP = `npm run fuzz -- [OPTIONS]

  --seed N           the same number gives the same cases (a random one, which is printed)
  --seconds N        how long to go on (60)
  --requests N       how many cases to try at the most
  --executable FILE  what to try (dist/flagstone-<this machine's>, which is built if it is missing)
  --json             print the result as JSON
  --help

Exit code 0 if nothing was found, 1 if something was.
`;

/** Enough to see what is wrong; the rest mostly has the same cause. */
const ENOUGH = 10;

const progress = (text: string) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
};

function hostExecutable() {
  const isWindows = process.platform === "win32";
  const file = path.join(
    DIST,
    `flagstone-${isWindows ? "win" : process.platform}-${process.arch}${isWindows ? ".exe" : ""}`,
  );
  if (!fs.existsSync(file)) {
    progress("npm run package");
    execFileSync(process.execPath, ["scripts/package.ts"], {
      cwd: ROOT,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  return file;
}

async function prepare(executable: string, folder: string): Promise<Site> {
  const data = path.join(folder, "data", "flags.db");
  fs.mkdirSync(path.dirname(data));
  const input = lines()
    .map((line) => JSON.stringify(line))
    .join("\n");
  execFileSync(executable, ["import", "-", "--data", data, "--quiet"], {
    input,
    env: {},
    stdio: ["pipe", "ignore", "inherit"],
  });
  return { executable, folder, data, server: await startServer(executable, data), counts: {} };
}

async function fuzz(seed: number, folder: string): Promise<Report> {
  const begin = performance.now();
  const site = await prepare(path.resolve(asked.executable ?? hostExecutable()), folder);
  const end = performance.now() + Number(asked.seconds) * 1000;
  const tried = () =>
    ["raw", "operations", "commands"].reduce((sum, kind) => sum + (site.counts[kind] ?? 0), 0);
  const goesOn = () => performance.now() < end && tried() < Number(asked.requests);
  const pulse = watchPulse(site);
  const report: Report = {
    seed,
    executable: site.executable,
    seconds: 0,
    counts: site.counts,
    slowest: 0,
    memory: undefined,
    found: [],
  };
  for (let round = 0; goesOn() && report.found.length < ENOUGH; round++) {
    report.found.push(...(await playRound(site, seed * 65_537 + round, goesOn)));
    await revive(site);
    progress(`${tried()} cases, ${report.found.length} found`);
  }
  const { slowest, found } = await pulse.stop();
  const { memory, found: foundAtEnd } = await requireEnd(site);
  report.found.push(...found, ...foundAtEnd);
  return { ...report, slowest, memory, seconds: (performance.now() - begin) / 1000 };
}

if (asked.help) {
  process.stdout.write(HELP);
} else {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-fuzz-"));
  process.stderr.write(`seed ${asked.seed}\n`);
  try {
    const report = await fuzz(Number(asked.seed), folder);
    progress("");
    process.stdout.write(asked.json ? `${JSON.stringify(report, undefined, 2)}\n` : toText(report));
    process.exitCode = report.found.length > 0 ? 1 : 0;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
