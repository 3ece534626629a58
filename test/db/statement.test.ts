import assert from "node:assert/strict";
import { test } from "node:test";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { command, query } from "../../src/db/statement.ts";
import { inLongWriting, inWriting } from "../../src/db/transaction.ts";

const countOfTags = query<object, number>(`SELECT count(*) FROM tag_types`);
const addTag = command<{ name: string }>(`INSERT INTO tag_types (name) VALUES (:name)`);

test("a query that writes can't be prepared", (t) => {
  const db = open(IN_MEMORY);
  t.after(() => close(db));
  const remove = query<object>(`DELETE FROM tag_types`);
  assert.throws(() => remove(db), /A query must only read: DELETE FROM tag_types/);
});

test("writes in a transaction are stored completely or not at all", async (t) => {
  const db = open(IN_MEMORY);
  t.after(() => close(db));
  const count = () => countOfTags(db).pluck().get({});
  const before = count()!;
  inWriting(db, (tx) => addTag(tx).run({ name: "kept" }));
  assert.equal(count(), before + 1);
  const broken = () => {
    throw new Error("broken off");
  };
  assert.throws(() =>
    inWriting(db, (tx) => {
      addTag(tx).run({ name: "lost" });
      broken();
    }),
  );
  await assert.rejects(
    inLongWriting(db, async (tx) => {
      addTag(tx).run({ name: "lost" });
      broken();
    }),
  );
  const tried = await inLongWriting(
    db,
    async (tx) => {
      addTag(tx).run({ name: "tried" });
      return count();
    },
    { isKept: false },
  );
  assert.deepEqual([tried, count()], [before + 2, before + 1]);
});
