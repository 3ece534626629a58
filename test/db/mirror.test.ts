import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { mirror } from "../../src/db/mirror.ts";
import { close, open } from "../../src/db/open.ts";
import { compare } from "../../src/db/order.ts";
import { command, type Database, query } from "../../src/db/statement.ts";
import { inWriting } from "../../src/db/transaction.ts";
import { watchReads } from "../../src/db/watch.ts";
import { openFile } from "../support/open-file.ts";

/** A tag type with the number of its tags. */
type Row = [name: string, tags: number];

const names = query<object, string>("SELECT name FROM tag_types");
const rows = query<{ names: string }, Row>(`
  SELECT name, (SELECT count(*) FROM tags WHERE type = name) FROM tag_types
  WHERE name IN (SELECT value FROM json_each(:names))`);

const byName = ([a]: Row, [b]: Row) => compare(a, b);

let read: string[] = [];
const mirrored = mirror<Row>("test_mirror", {
  sources: { tag_types: "name", tags: "type" },
  keys: (db) => names(db).pluck().iterate({}),
  order: byName,
  read: (db, keys) => {
    read.push(...keys);
    const found = rows(db)
      .raw()
      .all({ names: JSON.stringify(keys) }) as unknown as Row[];
    return found.map((row) => [row[0], row]);
  },
});

const addTag = command<{ type: string }>("INSERT INTO tags (type, value) VALUES (:type, 'new')");
const addTypes = command<{ count: number; prefix: string }>(`
  WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < :count)
  INSERT INTO tag_types (name) SELECT printf('%s%05d', :prefix, n) FROM n`);
const rename = command<{ from: string; to: string }>("UPDATE tag_types SET name = :to WHERE name = :from");
const remove = command<{ prefix: string }>("DELETE FROM tag_types WHERE name GLOB :prefix || '*'");

/** A file with this many tag types: a00001, a00002, … */
function fileWith(t: TestContext, count: number) {
  const { db, file } = openFile(t);
  inWriting(db, (tx) => {
    remove(tx).run({ prefix: "" });
    addTypes(tx).run({ count, prefix: "a" });
  });
  assert.deepEqual(all(db), stored(db));
  read = [];
  return { db, file };
}

function all(db: Database) {
  const current = mirrored(db);
  while (!current.catchUp());
  return current.all();
}

const stored = (db: Database) => {
  const found = rows(db)
    .raw()
    .all({ names: JSON.stringify(names(db).pluck().all({})) });
  return (found as unknown as Row[]).toSorted(byName);
};

test("only changed rows are read again, however they were changed", (t) => {
  const { db } = fileWith(t, 5);
  assert.deepEqual(all(db), stored(db));
  assert.deepEqual(read, []);
  inWriting(db, (tx) => {
    addTypes(tx).run({ count: 1, prefix: "b" });
    addTag(tx).run({ type: "a00002" });
    rename(tx).run({ from: "a00002", to: "c" });
    remove(tx).run({ prefix: "a00004" });
  });
  assert.deepEqual(all(db), stored(db));
  assert.deepEqual(read.toSorted(), ["a00002", "a00004", "b00001", "c"]);
  assert.deepEqual(
    all(db).find(([name]) => name === "c"),
    ["c", 1],
  );
  assert.deepEqual(mirrored(db).of(["c", "a00002", "a00001"]), [
    ["c", 1],
    ["a00001", 0],
  ]);
});

test("what is rolled back is read again", (t) => {
  const { db } = fileWith(t, 2);
  const undo = () =>
    inWriting(db, (tx) => {
      addTag(tx).run({ type: "a00001" });
      assert.throws(() => mirrored(db).catchUp(), /rolled back/);
      throw new Error("undone");
    });
  assert.throws(undo, /undone/);
  assert.deepEqual(all(db), stored(db));
});

test("after a change by another process, everything is read again", (t) => {
  const { db, file } = fileWith(t, 3);
  const other = open(file);
  inWriting(other, (tx) => remove(tx).run({ prefix: "a" }));
  close(other);
  assert.deepEqual(all(db), []);
  inWriting(db, (tx) => addTypes(tx).run({ count: 3, prefix: "b" }));
  assert.deepEqual(all(db), stored(db));
});

test("many rows are read in several slices, between which they may change", (t) => {
  const { db } = fileWith(t, 0);
  inWriting(db, (tx) => addTypes(tx).run({ count: 1200, prefix: "b" }));
  const current = mirrored(db);
  assert.equal(current.catchUp(), false);
  inWriting(db, (tx) => {
    remove(tx).run({ prefix: read[0]! });
    addTag(tx).run({ type: read[1]! });
    addTypes(tx).run({ count: 1, prefix: "c" });
  });
  assert.deepEqual(all(db), stored(db));
});

test("if nobody reads, the keys of changed rows do not pile up: everything is read again", (t) => {
  const { db } = fileWith(t, 2);
  inWriting(db, (tx) => addTypes(tx).run({ count: 10_100, prefix: "b" }));
  inWriting(db, (tx) => remove(tx).run({ prefix: "b" }));
  assert.deepEqual(all(db), stored(db));
  assert.deepEqual(read.toSorted(), ["a00001", "a00002"]);
});

test("using it counts as reading its tables", (t) => {
  const { db } = fileWith(t, 0);
  const { readings } = watchReads(() => mirrored(db));
  assert.deepEqual(
    [...readings].flatMap(({ tables }) => tables),
    ["tag_types", "tags"],
  );
});
