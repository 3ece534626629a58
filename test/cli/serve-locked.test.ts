import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import Sqlite from "better-sqlite3";
import { close, open } from "../../src/db/open.ts";
import { createWorld } from "../support/world.ts";
import { dataFile, runCli, startServer, temporaryFolder } from "./run-cli.ts";

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
