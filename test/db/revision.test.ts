import assert from "node:assert/strict";
import { test } from "node:test";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { bump, bumpEverything, changesSoFar, isCurrent, stampOf } from "../../src/db/revision.ts";
import { bookkeeping, command, query, tablesOf, watchReads } from "../../src/db/statement.ts";
import { inWriting } from "../../src/db/transaction.ts";

const memory = (t: { after(fn: () => void): void }) => {
  const db = open(IN_MEMORY);
  t.after(() => close(db));
  return db;
};

test("a stamp is valid until one of its tables changes", (t) => {
  const db = memory(t);
  const stamp = stampOf(["users", "roles"], changesSoFar());
  bump(db, ["groups"]);
  assert.ok(isCurrent(db, stamp));
  bump(db, ["roles"]);
  assert.ok(!isCurrent(db, stamp));
});

test("changes to another file don't count", (t) => {
  const [db, other] = [memory(t), memory(t)];
  const stamp = stampOf(["features"], changesSoFar());
  bump(other, ["features"]);
  bumpEverything(other);
  assert.ok(isCurrent(db, stamp));
});

const read = query<object>(`SELECT features.name FROM features JOIN project_members USING (project)`);
const archive = command<{ id: string }>(`UPDATE projects SET archived_at = name WHERE id = :id`);
const note = bookkeeping<object>(`UPDATE users SET seen_at = NULL`);

test("the tables of a statement are those of its plan: through views, indexes, triggers and cascades", (t) => {
  const db = memory(t);
  const reads = (sql: string) => tablesOf(db, sql, "read").toSorted();
  const writes = (sql: string) => tablesOf(db, sql, "write").toSorted();
  assert.deepEqual(reads("SELECT * FROM project_members"), [
    "group_users",
    "project_group_roles",
    "project_user_roles",
  ]);
  assert.deepEqual(
    reads("SELECT name FROM features WHERE project = :project"),
    ["features"],
    "by an index alone",
  );
  assert.deepEqual(reads("SELECT 1"), []);
  assert.deepEqual(writes("UPDATE features SET stale = 1 WHERE name = :name"), ["features", "history"]);
  const emptied = writes("DELETE FROM projects");
  for (const table of ["features", "strategies", "feature_tags", "project_user_roles", "segments"])
    assert.ok(emptied.includes(table), `${table} of ${emptied}`);
  assert.ok(writes("DELETE FROM events WHERE id = 1").includes("event_totals"), "by a trigger");
});

test("a watcher sees each query that runs, and no other", (t) => {
  const db = memory(t);
  read(db);
  const { result, readings } = watchReads(() => {
    const inner = watchReads(() => read(db).all({}));
    assert.equal(inner.readings.size, 1);
    return "done";
  });
  assert.deepEqual([result, readings.size], ["done", 0], "only the inner watcher saw it");
  const seen = watchReads(() => [read(db).all({}), read(db).get({})]).readings;
  assert.deepEqual([...seen].flatMap(({ tables }) => tables).toSorted(), [
    "features",
    "group_users",
    "project_group_roles",
    "project_user_roles",
  ]);
  assert.throws(() => watchReads(() => assert.fail("broken off")), /broken off/);
  assert.equal(watchReads(() => 1).readings.size, 0, "a failure stops watching");
});

test("a command marks the tables it writes; bookkeeping and failures mark none", (t) => {
  const db = memory(t);
  const tables = ["projects", "users", "feature_environments"];
  const stamp = stampOf(tables, changesSoFar());
  inWriting(db, (writing) => note(writing).run({}));
  assert.throws(() =>
    inWriting(db, (writing) => {
      archive(writing).run({ id: "default" });
      assert.fail("broken off");
    }),
  );
  assert.ok(isCurrent(db, stamp));
  inWriting(db, (writing) => archive(writing).run({ id: "default" }));
  assert.ok(!isCurrent(db, stamp));
  assert.ok(isCurrent(db, stampOf(tables, changesSoFar())));
});

test("an after-commit callback does not run without a commit", (t) => {
  const db = memory(t);
  const done: string[] = [];
  inWriting(db, (writing) =>
    writing.afterCommit.push(() => done.push(db.inTransaction ? "within" : "after")),
  );
  assert.throws(() =>
    inWriting(db, (writing) => {
      writing.afterCommit.push(() => done.push("never"));
      assert.fail("broken off");
    }),
  );
  assert.deepEqual(done, ["after"]);
});
