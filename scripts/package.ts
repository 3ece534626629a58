import fs from "node:fs";
import path from "node:path";
import { HOST, makeExecutable, targetsOf } from "./executable.ts";
import { measureStart } from "./measure.ts";

// `npm run package [TARGET…]`: builds an executable for each target, by default for this machine.
for (const target of targetsOf(process.argv.slice(2), [HOST])) {
  const { file } = await makeExecutable(target);
  process.stdout.write(`${file} ${(fs.statSync(file).size / 1e6).toFixed(1)} MB\n`);
  if (target === HOST) process.stdout.write(`  ${await measureStart(file)}\n`);
  if (target.startsWith("darwin")) {
    process.stdout.write(
      `  sign it on a Mac before its first start: codesign --force --sign - ${path.basename(file)}\n`,
    );
  }
}
