import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/*
 * `npm test`, `npm run test:ui` and `npm run test:heavy`: test files share a few processes, since starting one for each
 * takes longer than most files run. `npm test -- FILE…` runs only these.
 */

interface Suite {
  /** Files that share a process of their own. */
  own?: readonly string[][];
  /** Files that share the other processes. */
  files?: readonly string[];
  processes?: number;
  /** More than processors: most tests also wait, for programs that they start, for a browser, or for the disk. */
  atOnce: number;
}

/** Files that mostly wait. */
const WAITING = [
  "test/cli/serve-delivers.test.ts",
  "test/cli/serve-network.test.ts",
  "test/edge/bad-upstream.test.ts",
  "test/http/front.test.ts",
  "test/sdk/openfeature-web.test.ts",
  "test/sdk/restart.test.ts",
  "test/sdk/unleash-client.test.ts",
  "test/unleash/import-routes.test.ts",
];

/** One waits longest; one is of all SQL that its process has declared, and one declares what can't be prepared. */
const ALONE = ["test/cli/readme.test.ts", "test/guards/query-plans.test.ts", "test/db/statement.test.ts"];

const inFolders = (pattern: string, exclude: string[] = []) => fs.globSync(pattern, { exclude }).sort();

const SUITES: Readonly<Record<string, () => Suite>> = {
  fast: () => ({
    own: [...ALONE.map((file) => [file]), WAITING],
    files: inFolders("test/{,*/}*.test.ts", [...ALONE, ...WAITING, "test/{generators,heavy,ui}"]),
    processes: 12,
    atOnce: 3,
  }),
  ui: () => ({ files: inFolders("test/ui/*.test.ts"), processes: 3, atOnce: 2 }),
  // Those with many rounds take longest, so they come first.
  heavy: () => ({
    own: [
      ...inFolders("test/heavy/more-*.test.ts"),
      ...inFolders("test/{generators,heavy}/*.test.ts", ["test/heavy/more-*"]),
    ].map((file) => [file]),
    atOnce: 3,
  }),
};

/** Files that take long are often neighbours. The last processes get few, so that no processor waits for the very last. */
const processOf = (index: number, processes: number) =>
  Math.floor(processes * (1 - Math.sqrt(1 - ((index * GOLDEN) % 1))));
const GOLDEN = (Math.sqrt(5) - 1) / 2;

const [suite = "", ...given] = process.argv.slice(2);
const { own = [], files = [], processes = 0, atOnce } = SUITES[suite]!();
const parts = [
  ...own,
  ...Array.from({ length: processes }, (_, part) =>
    files.filter((_, index) => processOf(index, processes) === part),
  ),
];

const folder = path.resolve("node_modules/.cache/tests", suite);
fs.rmSync(folder, { recursive: true, force: true });
fs.mkdirSync(folder, { recursive: true });

/** Named in the order in which the test runner starts them. */
const shares = parts.map((some, index) => {
  const name = path.join(folder, `part-${String(index + 1).padStart(2, "0")}.test.mjs`);
  fs.writeFileSync(name, some.map((file) => `import "${path.resolve(file)}";\n`).join(""));
  return name;
});

const preloads = ["test-preload", "preload"].flatMap((name) => ["--import", `./scripts/${name}.mjs`]);
const options = [...preloads, "--test", `--test-concurrency=${atOnce}`];
const isOfFiles = given.some((one) => one.endsWith(".test.ts"));
const args = [...options, ...given, ...(isOfFiles ? [] : shares)];
const tests = spawn(process.execPath, args, { stdio: "inherit" });
tests.on("exit", (code) => (process.exitCode = code ?? 1));
