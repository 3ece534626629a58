import fs from "node:fs";
import path from "node:path";
import { DIST } from "./bundle.ts";
import { makeExecutable, TARGETS, type Target, targetsOf } from "./executable.ts";
import { pack, writeChecksums } from "./release/pack.ts";

// `npm run release [TARGET…]`: an archive and a bill of materials for each target, by default all, and SHA256SUMS.
const folder = path.join(DIST, "release");
fs.rmSync(folder, { recursive: true, force: true });
fs.mkdirSync(folder, { recursive: true });
const files: string[] = [];
for (const target of targetsOf(process.argv.slice(2), Object.keys(TARGETS) as Target[])) {
  files.push(...(await pack(await makeExecutable(target), folder)));
}
files.push(writeChecksums(files, folder));
for (const file of files) {
  process.stdout.write(`${file} ${(fs.statSync(file).size / 1e6).toFixed(2)} MB\n`);
}
