import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { removeIfUnused, withExclusiveAccess } from "../../src/db/lock.ts";
import { close, open } from "../../src/db/open.ts";
import { stagedFile } from "../../src/db/staged-file.ts";
import { isUntouched } from "../../src/transfer/import.ts";
import { contentOf, dataFile, temporaryFolder } from "../cli/run-cli.ts";
import { createWorld } from "../support/world.ts";

test("an unused new file is removed, one in which another process has stored something is not", async (t) => {
  const vain = path.join(temporaryFolder(t), "flags.db");
  close(open(vain));
  removeIfUnused(vain, isUntouched);
  assert.deepEqual(fs.readdirSync(path.dirname(vain)), []);
  removeIfUnused(vain, isUntouched); // a file that is already gone is not an error either
  const used = await dataFile(t, createWorld().lines);
  const before = contentOf(used);
  removeIfUnused(used, isUntouched);
  assert.equal(contentOf(used), before);
});

test("a process does not count as alone if the file is open elsewhere", async (t) => {
  const file = await dataFile(t, createWorld().lines);
  const other = open(file);
  t.after(() => close(other));
  assert.equal(
    withExclusiveAccess(file, () => assert.fail("it is not run")),
    false,
  );
});

/** Opens the file, which waits, and returns the number of flags in it, and the log beside it. */
const WAITING = `
  import { close, open } from "./src/db/open.ts";
  console.log("begins");
  const db = open(process.argv[1]);
  console.log(db.prepare("SELECT count(*) FROM features").pluck().get());
  close(db);`;

test("opening a file while it is being replaced opens the new one", async (t) => {
  const world = () => createWorld().project("a");
  const file = await dataFile(t, world().lines);
  const next = await dataFile(t, world().feature("f", "a").lines);
  const args = ["--import", "./scripts/preload.mjs", "--input-type=module", "--eval", WAITING, file];
  let output = "";
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.on("data", (text) => (output += text));
  await once(child.stdout, "data");
  // It may have been quick; then no process is alone, and we try again.
  withExclusiveAccess(file, () => {
    Atomics.wait(pause, 0, 0, 500);
    fs.linkSync(file, `${file}.old`);
    fs.renameSync(next, file);
  }) || fs.renameSync(next, file);
  if (child.exitCode === null) await once(child, "close");
  assert.match(output, /^begins\n[01]\n$/);
  const db = open(file);
  t.after(() => close(db));
  assert.equal(db.prepare("SELECT count(*) FROM features").pluck().get(), 1);
  assert.equal(db.pragma("integrity_check", { simple: true }), "ok");
});

test("two processes that create the same file do not share a copy, and the second is refused", (t) => {
  const file = path.join(temporaryFolder(t), "copy");
  using first = stagedFile(file);
  fs.writeFileSync(first.path, "first");
  fs.writeFileSync(file, "of another process");
  assert.throws(() => first.commit(), /already exists: name a new file/);
  assert.equal(fs.readFileSync(file, "utf8"), "of another process");
  first.commit({ mayReplace: true });
  assert.equal(fs.readFileSync(file, "utf8"), "first");
});

test("leftovers of a dead process are removed, files in use by another are not", async (t) => {
  const file = path.join(temporaryFolder(t), "copy");
  const gone = spawn(process.execPath, ["--eval", ""]);
  await once(gone, "exit");
  const [left, made] = [`${file}.${gone.pid}.unfinished`, `${file}.${process.ppid}.unfinished`];
  for (const name of [left, `${left}-wal`, made]) fs.writeFileSync(name, "x");
  using copy = stagedFile(file);
  assert.deepEqual(
    fs.readdirSync(path.dirname(file)).sort(),
    [made, copy.path].map((name) => path.basename(name)).sort(),
  );
});
