import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { CLI } from "../../src/access/actor.ts";
import type { Database } from "../../src/db/database.ts";
import { close, open } from "../../src/db/open.ts";
import { inWriting } from "../../src/db/transaction.ts";
import { write, writeSoon } from "../../src/events/write.ts";
import { keepSearchesMerged, mergeSome } from "../../src/log/search-merging.ts";
import { dataFile } from "../cli/run-cli.ts";
import { openServer } from "../support/server.ts";
import { createWorld } from "../support/world.ts";

const segments = (db: Database) =>
  db.prepare<[], number>("SELECT count(DISTINCT segid) FROM event_searches_idx").pluck().get()!;

const event = (text: string) =>
  ({ type: "feature-created", project: "a", featureName: "f", data: { text } }) as const;

/** What FTS5 leaves unmerged: three segments of each size. */
const FEW = 12;

test("segments that changes leave are merged while nothing happens, and searches find everything meanwhile", async (t) => {
  const { db, request } = await openServer(t, createWorld().project("a"));
  for (let count = 0; count < 60; count++) write(db, CLI, (tx) => tx.record(event(`needle ${count}`)));
  assert.ok(segments(db) >= 60, `${segments(db)} segments`);
  const found = async () =>
    (await request("/api/admin/events/search", { method: "POST", body: { query: "needle" } })).body
      .totalEvents;
  const stop = keepSearchesMerged(db, () => {});
  t.after(stop);
  while (segments(db) > FEW) {
    assert.equal(await found(), 60);
    await setImmediate(); // timers get a turn
  }
  assert.equal(await found(), 60);
});

test("under constant changes they are merged too", async (t) => {
  const { db } = await openServer(t, createWorld().project("a"));
  const warnings: string[] = [];
  const stop = keepSearchesMerged(db, ({ message }) => warnings.push(message));
  let most = 0;
  for (let count = 0; count < 300; count++) {
    await writeSoon(db, CLI, (tx) => tx.record(event(`needle ${count}`)));
    most = Math.max(most, segments(db));
  }
  await stop();
  assert.ok(most < 40, `${most} segments`);
  assert.deepEqual(warnings, []);
});

test("a change merges nothing, in a new file and after an import", async (t) => {
  const file = await dataFile(
    t,
    createWorld()
      .project("a")
      .event({ data: { text: "before" } }).lines,
  );
  const db = open(file);
  t.after(() => close(db));
  const before = segments(db);
  for (let count = 0; count < 50; count++) write(db, CLI, (tx) => tx.record(event(`needle ${count}`)));
  assert.equal(segments(db), before + 50);
  while (inWriting(db, mergeSome));
  assert.ok(segments(db) <= FEW, `${segments(db)} segments`);
});
