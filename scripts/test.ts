import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/*
 * `npm test`: most test files share a few processes, since starting one for each takes longer than most files run. Those
 * that start programs, or look at all that was loaded, have a process of their own.
 */

const PROCESSES = 6;

const own = fs.globSync(["test/*.test.ts", "test/{cli,guards,generators}/*.test.ts"]);

const shared = fs
  .globSync("test/*/*.test.ts", { exclude: ["test/{cli,guards,generators,heavy,ui}"] })
  .sort()
  .map((file) => path.resolve(file));

const folder = path.resolve("node_modules/.cache/tests");
fs.mkdirSync(folder, { recursive: true });

/** Every sixth file: files that take long are often in the same folder. */
const parts = Array.from({ length: PROCESSES }, (_, part) => {
  const imports = shared
    .filter((_, index) => index % PROCESSES === part)
    .map((file) => `import "${file}";\n`);
  const name = path.join(folder, `part-${part + 1}.test.mjs`);
  fs.writeFileSync(name, imports.join(""));
  return name;
});

const options = ["--import", "./scripts/preload.mjs", "--test", "--test-concurrency=2"];
const tests = spawn(process.execPath, [...options, ...process.argv.slice(2), ...parts, ...own], {
  stdio: "inherit",
});
tests.on("exit", (code) => (process.exitCode = code ?? 1));
