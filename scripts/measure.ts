import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { performance } from "node:perf_hooks";

const RUNS = 9;

/** Measures the time from starting an executable on an existing file to its first response, and its memory then. */
export async function measureStart(executable: string): Promise<string> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-start-"));
  const args = ["--port", "0", "--quiet", "--data", path.join(folder, "flags.db")];
  try {
    await start(executable, args); // creates the file
    const starts = [];
    for (let run = 0; run < RUNS; run++) starts.push(await start(executable, args));
    const times = starts.map(({ ms }) => ms).sort((a, b) => a - b);
    const memory = starts.at(-1)!.megabytes;
    return `first response after ${times[0]} ms at best, ${times[RUNS >> 1]} ms median of ${RUNS}; ${memory} MB of memory`;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

async function start(executable: string, args: string[]) {
  const begin = performance.now();
  const child = spawn(executable, args, { env: {}, stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  for await (const text of child.stdout) {
    output += text;
    if (/URL: .*\n/.test(output)) break;
  }
  await (await fetch(`${/URL: +(\S+)/.exec(output)![1]}/ready`)).text();
  const ms = Math.round(performance.now() - begin);
  const megabytes = residentMegabytes(child.pid!);
  child.kill("SIGTERM");
  if (child.exitCode === null) await once(child, "exit");
  return { ms, megabytes };
}

/** Known on Linux only. */
function residentMegabytes(pid: number) {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Math.round(Number(kilobytes) / 1000);
  } catch {
    return "unknown";
  }
}
