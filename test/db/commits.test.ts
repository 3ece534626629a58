import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { CLI } from "../../src/access/actor.ts";
import { noteSeen, writeSeen } from "../../src/access/seen.ts";
import type { Database } from "../../src/db/database.ts";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { watchCommits } from "../../src/db/revision.ts";
import { write, writeSoon } from "../../src/events/write.ts";

const change = (name: string) => (tx: Parameters<Parameters<typeof write>[2]>[0]) =>
  tx.record({ type: "tag-created", data: { name } });

function watched(t: TestContext, db: Database) {
  let [count, woken] = [0, Promise.withResolvers<void>()];
  const end = watchCommits(db, () => {
    count++;
    woken.resolve();
    woken = Promise.withResolvers();
  });
  t.after(end);
  return { count: () => count, next: () => woken.promise, end };
}

test("changes by this process wake watchers once per batch, bookkeeping does not", async (t) => {
  const db = open(IN_MEMORY);
  t.after(() => close(db));
  const { count, next, end } = watched(t, db);
  noteSeen(db, { tokenId: 1, userId: 1, session: null });
  await writeSeen(db);
  const woken = next();
  await Promise.all(["a", "b"].map((name) => writeSoon(db, CLI, change(name))));
  await woken;
  assert.equal(count(), 1);
  end();
  write(db, CLI, change("c"));
  await new Promise(setImmediate);
  assert.equal(count(), 1);
});

test("changes by another process wake them too", async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-commits-"));
  const [db, other] = [open(path.join(folder, "flags.db")), open(path.join(folder, "flags.db"))];
  t.after(() => {
    close(other);
    close(db);
    fs.rmSync(folder, { recursive: true });
  });
  const { next } = watched(t, db);
  const woken = next();
  write(other, CLI, change("a"));
  await woken;
});
