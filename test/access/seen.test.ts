import assert from "node:assert/strict";
import { test } from "node:test";
import { noteSeen, writeSeen } from "../../src/access/seen.ts";
import type { Database } from "../../src/db/database.ts";
import { close } from "../../src/db/open.ts";
import { changesSoFar, isCurrent, stampOf } from "../../src/db/revision.ts";
import { openServer } from "../support/server.ts";
import { personal, SERVICE } from "../support/world.ts";

const ONE = { tokenId: 1, userId: 1, session: null };

const seenAt = (db: Database, table: "tokens" | "users") =>
  db
    .prepare<[], { id: number; seen_at: string }>(
      `SELECT id, seen_at FROM ${table} WHERE seen_at IS NOT NULL ORDER BY id`,
    )
    .all()
    .map(({ id, seen_at }) => [id, seen_at]);

test("a request updates the last-seen time of the token and its user, without making responses stale", async (t) => {
  const { request, db } = await openServer(t);
  const stamp = stampOf(["tokens", "users", "events"], changesSoFar());
  for (const as of [personal(3), SERVICE, personal(3), `${SERVICE}x`])
    await request("/api/admin/user", { as });
  assert.deepEqual(seenAt(db, "tokens"), [], "no request waits for the write");
  await writeSeen(db);
  assert.deepEqual(
    seenAt(db, "tokens").map(([id]) => id),
    [3, 5],
  );
  assert.deepEqual(
    seenAt(db, "users").map(([id]) => id),
    [3],
  );
  assert.ok(isCurrent(db, stamp));
  const { pats } = (await request("/api/admin/user/tokens", { as: personal(3) })).body;
  assert.deepEqual(
    [pats[0].seenAt],
    seenAt(db, "tokens")
      .slice(0, 1)
      .map(([, time]) => time),
  );
});

test("it is written at most once a minute", async (t) => {
  const { db } = await openServer(t);
  const at = (seconds: number) => Date.parse("2026-05-01T00:00:00.000Z") + seconds * 1000;
  const note = async (seconds: number) => {
    noteSeen(db, ONE, at(seconds));
    await writeSeen(db);
  };
  await note(0);
  await note(59);
  assert.deepEqual(seenAt(db, "tokens"), [[1, "2026-05-01T00:00:00.000Z"]]);
  await note(60);
  assert.deepEqual(seenAt(db, "tokens"), [[1, "2026-05-01T00:01:00.000Z"]]);
});

test("what can't be written is dropped", async (t) => {
  const { db } = await openServer(t);
  noteSeen(db, ONE);
  db.pragma("query_only = 1");
  await writeSeen(db);
  db.pragma("query_only = 0");
  assert.deepEqual(seenAt(db, "tokens"), []);
  noteSeen(db, { ...ONE, tokenId: 2 });
  close(db);
  await writeSeen(db);
});
