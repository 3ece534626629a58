import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import Sqlite from "better-sqlite3";
import { close, open } from "../../src/db/open.ts";
import { createWorld } from "../support/world.ts";
import { contentOf, dataFile, runCli, startServer, temporaryFolder } from "./run-cli.ts";

/** Holds the file as a long import does. */
function lock(data: string) {
  const db = new Sqlite(data);
  db.exec("BEGIN IMMEDIATE");
  return db;
}

test("a first start on a file that stays locked gives up in words, and does not serve on", async (t) => {
  const data = path.join(temporaryFolder(t), "flags.db");
  close(open(data));
  const holder = lock(data);
  t.after(() => holder.close());
  const { code, stdout, stderr } = await runCli(["serve", "--port", "0", "--data", data]);
  assert.deepEqual([code, stdout], [3, ""]);
  assert.match(stderr, /is locked by another process/);
});

test("a file that is in use already is served while another process writes to it", async (t) => {
  const data = await dataFile(t, createWorld().lines);
  const holder = lock(data);
  t.after(() => holder.close());
  const { url } = await startServer(t, ["serve", "--data", data]);
  assert.equal((await fetch(`${url}/ready`)).status, 200);
});

test("a second server is refused under any name of the file, and so is a restore", async (t) => {
  const data = await dataFile(t, createWorld().lines);
  const link = path.join(temporaryFolder(t), "link.db");
  fs.symlinkSync(data, link);
  const { child } = await startServer(t, ["serve", "--data", data]);
  for (const args of [["serve"], ["compact"], ["restore", data]]) {
    const { code, stderr } = await runCli([...args, "--data", link]);
    assert.equal(code, 3, args.join(" "));
    assert.match(stderr, new RegExp(`is served by the process ${child.pid} already`));
  }
});

test("a restore through a link replaces the file, not the link", async (t) => {
  const data = await dataFile(t, createWorld().lines);
  const backup = await dataFile(t, createWorld().project("later").lines);
  const link = path.join(temporaryFolder(t), "link.db");
  fs.symlinkSync(data, link);
  assert.equal((await runCli(["restore", backup, "--data", link])).code, 0);
  assert.equal(contentOf(data), contentOf(backup));
  assert.ok(fs.lstatSync(link).isSymbolicLink());
});
