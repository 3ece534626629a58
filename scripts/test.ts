import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/*
 * `npm test`: the test files share a few processes, since starting one for each takes longer than most files run.
 * `npm test -- FILE…` runs only these.
 */

const PROCESSES = 12;

/** More than processors: some files mostly wait for programs that they start. */
const AT_ONCE = 3;

/** What waits longest; a test of all SQL that its process has declared; and one that declares what can't be prepared. */
const OWN = ["test/cli/readme.test.ts", "test/guards/query-plans.test.ts", "test/db/statement.test.ts"];

const shared = fs
  .globSync(["test/*.test.ts", "test/*/*.test.ts"], { exclude: [...OWN, "test/{generators,heavy,ui}"] })
  .sort();

const folder = path.resolve("node_modules/.cache/tests");
fs.rmSync(folder, { recursive: true, force: true });
fs.mkdirSync(folder, { recursive: true });

/** Every twelfth file: files that take long are often in the same folder. */
const parts = [
  ...OWN.map((file) => [file]),
  ...Array.from({ length: PROCESSES }, (_, part) => shared.filter((_, index) => index % PROCESSES === part)),
];

/** Named in the order in which the test runner starts them. */
const shares = parts.map((files, index) => {
  const name = path.join(folder, `part-${String(index + 1).padStart(2, "0")}.test.mjs`);
  fs.writeFileSync(name, files.map((file) => `import "${path.resolve(file)}";\n`).join(""));
  return name;
});

const preloads = ["test-preload", "preload"].flatMap((name) => ["--import", `./scripts/${name}.mjs`]);
const options = [...preloads, "--test", `--test-concurrency=${AT_ONCE}`];
const given = process.argv.slice(2);
const isOfFiles = given.some((one) => one.endsWith(".test.ts"));
const args = [...options, ...given, ...(isOfFiles ? [] : shares)];
const tests = spawn(process.execPath, args, { stdio: "inherit" });
tests.on("exit", (code) => (process.exitCode = code ?? 1));
