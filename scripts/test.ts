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

/** A test of all SQL that its process has declared, one that declares what can't be prepared, and what mostly waits. */
const OWN = [
  ["test/cli/readme.test.ts"],
  ["test/guards/query-plans.test.ts"],
  ["test/db/statement.test.ts"],
  [
    "test/cli/serve-delivers.test.ts",
    "test/cli/serve-network.test.ts",
    "test/edge/bad-upstream.test.ts",
    "test/http/front.test.ts",
    "test/sdk/openfeature-web.test.ts",
    "test/sdk/restart.test.ts",
    "test/sdk/unleash-client.test.ts",
    "test/unleash/import-routes.test.ts",
  ],
];

const shared = fs
  .globSync(["test/*.test.ts", "test/*/*.test.ts"], {
    exclude: [...OWN.flat(), "test/{generators,heavy,ui}"],
  })
  .sort();

const folder = path.resolve("node_modules/.cache/tests");
fs.rmSync(folder, { recursive: true, force: true });
fs.mkdirSync(folder, { recursive: true });

/** Files that take long are often neighbours. The last processes get few, so that no processor waits for the very last. */
const processOf = (index: number) => Math.floor(PROCESSES * (1 - Math.sqrt(1 - ((index * GOLDEN) % 1))));
const GOLDEN = (Math.sqrt(5) - 1) / 2;

const parts = [
  ...OWN,
  ...Array.from({ length: PROCESSES }, (_, part) => shared.filter((_, index) => processOf(index) === part)),
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
