import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { test } from "node:test";
import { SETTINGS } from "../../src/cli/config.ts";
import { COMMANDS } from "../../src/cli/run.ts";
import { runHere } from "./run-cli.ts";

const isThere = spawnSync("groff", ["--version"]).status === 0;

test("groff accepts the manual without warnings, and it covers all commands and settings", {
  skip: !isThere && "groff is not installed",
}, async () => {
  const { stdout: input } = await runHere(["man"]);
  const { stderr } = spawnSync("groff", ["-man", "-ww", "-z"], { input, encoding: "utf8" });
  assert.equal(stderr, "");
  const args = ["-man", "-Tascii", "-P", "-cbou", "-rLL=200n"];
  const shown = execFileSync("groff", args, { input, encoding: "utf8" });
  for (const { name } of COMMANDS) assert.match(shown, new RegExp(`^ +${name}\\b`, "m"), name);
  for (const name of Object.keys(SETTINGS)) assert.ok(shown.includes(`--${name}`), name);
});
