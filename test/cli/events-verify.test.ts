import assert from "node:assert/strict";
import { test } from "node:test";
import { close, open } from "../../src/db/open.ts";
import { createWorld } from "../support/world.ts";
import { dataFile, runHere } from "./run-cli.ts";

const ofEvents = async (data: string, command: string, ...args: string[]) =>
  runHere(["events", command, ...args, "--data", data]);

test("events head prints what events verify --since proves the log from", async (t) => {
  const data = await dataFile(t, createWorld().user({ username: "ada" }).event().lines);
  const { stdout: head } = await ofEvents(data, "head");
  assert.match(head, /^1:[0-9a-f]{64}\n$/);
  await runHere(["user", "create", "bob", "--data", data]);
  const whole = await ofEvents(data, "verify");
  assert.equal(whole.code, 0, whole.stderr);
  assert.match(
    whole.stdout,
    /^Sealed after event 1: events were imported\n1 event in the chain, 1 event from before it\n/,
  );
  const since = await ofEvents(data, "verify", "--json", "--since", head.trim());
  assert.deepEqual([since.code, JSON.parse(since.stdout).ok, JSON.parse(since.stdout).proved], [0, true, 1]);
  assert.equal((await ofEvents(data, "verify", "--since", "1")).code, 2);
});

test("events verify fails for a log that was tampered with, and says where", async (t) => {
  const data = await dataFile(t, createWorld().user({ username: "ada" }).event().lines);
  for (const name of ["bob", "cleo"]) await runHere(["user", "create", name, "--data", data]);
  const db = open(data);
  db.exec("UPDATE events SET wire = replace(wire, 'bob', 'eve') WHERE id = 2");
  close(db);
  const { code, stdout, stderr } = await ofEvents(data, "verify");
  assert.deepEqual([code, /^FAIL {3}event 2 was changed$/m.test(stdout)], [3, true], stdout);
  assert.match(stderr, /has a log that is not as it was recorded/);
  const json = JSON.parse((await ofEvents(data, "verify", "--json")).stdout);
  assert.deepEqual(json.findings, [{ event: 2, problem: "changed", message: "event 2 was changed" }]);
});

test("events purge --before deletes old events, and the log is still proved", async (t) => {
  const data = await dataFile(t, createWorld().user({ username: "ada" }).event().event().lines);
  await runHere(["user", "create", "bob", "--data", data]);
  const dry = await ofEvents(data, "purge", "--before", "2026-11-01T00:00:00Z", "--dry-run");
  assert.match(dry.stdout, /^Would remove \d events?\n$/);
  assert.equal(
    (await ofEvents(data, "purge", "--before", "2099-01-01T00:00:00Z")).stdout,
    "Removed 3 events\n",
  );
  assert.match((await ofEvents(data, "verify")).stdout, /events were deleted because of their age/);
  assert.equal((await ofEvents(data, "purge", "--before", "yesterday")).code, 2);
});
