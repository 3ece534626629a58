import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { close, open } from "../../src/db/open.ts";
import { rowCache } from "../../src/db/row-cache.ts";
import { snapshot } from "../../src/db/snapshot.ts";
import { command, type Database } from "../../src/db/statement.ts";
import { inWriting } from "../../src/db/transaction.ts";
import { watchReads } from "../../src/db/watch.ts";
import { openFile } from "../support/open-file.ts";

const cache = rowCache<string, string>("test", {
  limit: 100,
  sizeOf: () => 10,
  sources: { tag_types: "name", tags: "type", roles: null },
});

const cachedOfTags = rowCache<string, string>("test_tags", {
  limit: 100,
  sizeOf: () => 10,
  sources: { tags: "value" },
});

let hour = 1;
const cachedByHour = rowCache<string, { hour: number }>("test_hours", {
  limit: 100,
  sizeOf: () => 10,
  isCurrent: (value) => value.hour === hour,
  sources: { tags: "value" },
});

const addTag = command<{ type: string; value: string }>(
  "INSERT INTO tags (type, value) VALUES (:type, :value)",
);
const addType = command<{ name: string }>("INSERT INTO tag_types (name) VALUES (:name)");
const rename = command<{ from: string; to: string }>("UPDATE tag_types SET name = :to WHERE name = :from");
const remove = command<{ name: string }>("DELETE FROM tag_types WHERE name = :name");
const addRole = command<object>("INSERT INTO roles (name, type) VALUES ('new', 'custom')");

function fileWith(t: TestContext, names: readonly string[]) {
  const { db, file } = openFile(t);
  inWriting(db, (tx) => {
    for (const name of names) addType(tx).run({ name });
  });
  keepAll(db, names);
  return { db, file };
}

const make = (names: readonly string[]) => names.map((name) => [name, `of ${name}`] as const);

const keepAll = (db: Database, names: readonly string[]) => snapshot(db, () => cache(db).of(names, make));

/** The rows that are not recomputed. */
function left(db: Database, names: readonly string[], of = cache) {
  const made: string[] = [];
  of(db).of(names, (missing) => {
    made.push(...missing);
    return make(missing);
  });
  return names.filter((name) => !made.includes(name));
}

test("a row's value is cached until the row, or one that is part of it, is changed or deleted", (t) => {
  const names = ["a", "b", "c", "d"];
  const { db } = fileWith(t, names);
  assert.deepEqual(cache(db).of(["b", "a"], make), ["of b", "of a"]);
  inWriting(db, (tx) => addTag(tx).run({ type: "b", value: "new" }));
  assert.deepEqual(left(db, names), ["a", "c", "d"]);
  inWriting(db, (tx) => rename(tx).run({ from: "c", to: "other" }));
  assert.deepEqual(left(db, names), ["a", "d"]);
  keepAll(db, names);
  inWriting(db, (tx) => remove(tx).run({ name: "b" }));
  assert.deepEqual(left(db, names), ["a", "c", "d"]);
});

test("a cascading delete or update counts as a change", (t) => {
  const { db } = fileWith(t, ["a", "b"]);
  inWriting(db, (tx) => {
    addTag(tx).run({ type: "a", value: "of a" });
    addTag(tx).run({ type: "b", value: "of b" });
  });
  snapshot(db, () => cachedOfTags(db).of(["of a", "of b"], make));
  inWriting(db, (tx) => remove(tx).run({ name: "a" }));
  assert.deepEqual(left(db, ["of a", "of b"], cachedOfTags), ["of b"]);
  inWriting(db, (tx) => rename(tx).run({ from: "b", to: "c" }));
  assert.deepEqual(left(db, ["of b"], cachedOfTags), []);
});

test("a change to a row that every value depends on invalidates them all, and so does another process", (t) => {
  const names = ["a", "b"];
  const { db, file } = fileWith(t, names);
  inWriting(db, (tx) => addRole(tx).run({}));
  assert.deepEqual(left(db, names), []);
  keepAll(db, names);
  const other = open(file);
  inWriting(other, (tx) => addType(tx).run({ name: "c" }));
  close(other);
  assert.deepEqual(left(db, names), []);
});

test("values read in a transaction with writes are not cached, since it may be rolled back", (t) => {
  const { db } = fileWith(t, ["a"]);
  const undo = () =>
    inWriting(db, (tx) => {
      addTag(tx).run({ type: "a", value: "never" });
      keepAll(db, ["a"]);
      throw new Error("undone");
    });
  assert.throws(undo, /undone/);
  assert.deepEqual(left(db, ["a"]), []);
});

test("a value that also depends on time is recomputed once it expires", (t) => {
  const { db } = fileWith(t, []);
  const read = () =>
    snapshot(db, () => cachedByHour(db).of(["a"], (keys) => keys.map((key) => [key, { hour }] as const))[0]);
  const first = read();
  assert.equal(read(), first);
  hour++;
  assert.notEqual(read(), first);
});

test("the oldest are evicted if there are too many", (t) => {
  const names = Array.from({ length: 12 }, (_, index) => `type${index}`);
  const { db } = fileWith(t, names);
  assert.deepEqual(left(db, names), names.slice(2));
});

test("everything cached was read from its declared tables", (t) => {
  const { db } = fileWith(t, []);
  const { readings } = watchReads(() => cache(db).of([], make));
  assert.deepEqual(
    [...readings].flatMap(({ tables }) => tables),
    ["tag_types", "tags", "roles"],
  );
});
