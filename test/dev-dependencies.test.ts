import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";

const SCRIPT = "scripts/dev-dependencies.mjs";

test("npm installs what only developers need once, when it is needed", (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-npm-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const write = (name: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  };
  write("package.json", '{"devDependencies":{"a":"1.0.0"}}');
  write(SCRIPT, fs.readFileSync(SCRIPT, "utf8"));
  write("npm.cjs", 'require("node:fs").appendFileSync("called", process.argv.slice(2).join(" "))');
  const run = () => {
    fs.rmSync(path.join(folder, "called"), { force: true });
    const env = { npm_execpath: path.join(folder, "npm.cjs") };
    execFileSync(process.execPath, [path.join(folder, SCRIPT)], { cwd: folder, env, stdio: "ignore" });
    return fs.existsSync(path.join(folder, "called"));
  };
  assert.equal(run(), true);
  write("node_modules/a/package.json", '{"version":"0.9.0"}');
  assert.equal(run(), true);
  write("node_modules/a/package.json", '{"version":"1.0.0"}');
  assert.equal(run(), false);
});
