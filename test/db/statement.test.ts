import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { command, query } from "../../src/db/statement.ts";
import { inLongWriting, inWriting } from "../../src/db/transaction.ts";

const countOfTags = query<object, number>(`SELECT count(*) FROM tag_types`);
const addTag = command<{ name: string }>(`INSERT INTO tag_types (name) VALUES (:name)`);

test("a query that writes stops the program when its SQL is prepared", () => {
  // Declared in a separate process, since it would stop every other test here too.
  const program = `
    import { open } from "./src/db/open.ts";
    import { query } from "./src/db/statement.ts";
    query("DELETE FROM tag_types");
    open(":memory:");`;
  const args = ["--import", "./scripts/preload.mjs", "--input-type=module", "--eval", program];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /A query must only read: DELETE FROM tag_types/);
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
