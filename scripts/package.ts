import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { median } from "./bench/figures.ts";
import { startInTurn } from "./bench/start.ts";
import { HOST, makeExecutable, targetsOf } from "./executable.ts";

// `npm run package [TARGET…]`: builds an executable for each target, by default for this machine.
for (const target of targetsOf(process.argv.slice(2), [HOST])) {
  const { file } = await makeExecutable(target);
  process.stdout.write(`${file} ${(fs.statSync(file).size / 1e6).toFixed(1)} MB\n`);
  if (target === HOST) process.stdout.write(`  ${await startOf(file)}\n`);
  if (target.startsWith("darwin")) {
    process.stdout.write(
      `  sign it on a Mac before its first start: codesign --force --sign - ${path.basename(file)}\n`,
    );
  }
}

async function startOf(executable: string): Promise<string> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-start-"));
  try {
    const [starts = []] = await startInTurn([[executable]], folder);
    const of = (figure: "ms" | "cpu" | "memory") => median(starts.map((start) => start[figure]));
    const memory = (of("memory") / 1e6).toFixed(0);
    return `first response after ${of("ms").toFixed(0)} ms, ${of("cpu")} ms of CPU time; ${memory} MB of private memory`;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}
