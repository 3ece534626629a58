import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

/** Prints which CommonJS files a process has loaded once it could run any command. */
const PROGRAM = `
  import { createRequire } from "node:module";
  await import("./src/cli/run.ts");
  console.log(Object.keys(createRequire(import.meta.url).cache).join("\\n"));
`;

const RARE =
  /node_modules\/(?:bcryptjs|re2js|unleash-client|yaml|prom-client|openid-client|otpauth|esbuild)\//;

test("a start loads nothing that few starts need", () => {
  const args = ["--import", "./scripts/preload.mjs", "--input-type=module", "--eval", PROGRAM];
  const loaded = execFileSync(process.execPath, args, { encoding: "utf8" });
  assert.match(loaded, /node_modules\/better-sqlite3\//);
  assert.doesNotMatch(loaded, RARE);
});
