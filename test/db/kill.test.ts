import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { checkFile } from "../../src/db/check.ts";
import { close, open } from "../../src/db/open.ts";
import { verifyLog } from "../../src/log/proof.ts";

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 2);

const CHILD = ["--import", "./scripts/preload.mjs", "test/db/kill-child.ts"];

/** Runs the child until it has acknowledged this many users, kills it wherever it is, and returns their names. */
async function acknowledgedUntilKilled(file: string, round: number, enough: number): Promise<string[]> {
  const child = spawn(process.execPath, [...CHILD, file, String(round)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  let output = "";
  child.stdout.on("data", (text) => {
    output += text;
    if (output.split("\n").length > enough) child.kill("SIGKILL");
  });
  await ended;
  return output.split("\n").slice(0, -1); // the last line may be incomplete
}

test("after a kill -9, all acknowledged changes are there with their events, and the file is intact", async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-kill-"));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "flags.db");
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const enough = 1 + Math.floor(Math.random() * 60);
    acknowledged.push(...(await acknowledgedUntilKilled(file, round, enough)));
    const db = open(file);
    const users = db.prepare("SELECT username FROM users").pluck().all();
    const events = db.prepare("SELECT wire ->> '$.data.username' FROM events").pluck().all();
    const { ok, proved } = verifyLog(db);
    close(db);
    assert.deepEqual([ok, proved], [true, events.length], "the chain of hashes goes on where it ended");
    assert.deepEqual(users.toSorted(), events.toSorted(), "each change has its event");
    assert.deepEqual(
      acknowledged.filter((name) => !users.includes(name)),
      [],
      `${acknowledged.length} acknowledged`,
    );
    assert.deepEqual(
      checkFile(file).filter(({ problem }) => problem !== undefined),
      [],
    );
  }
  assert.ok(acknowledged.length >= ROUNDS);
});
