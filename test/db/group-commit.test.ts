import assert from "node:assert/strict";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { inGroup } from "../../src/db/group-commit.ts";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { changesSoFar, isCurrent, stampOf } from "../../src/db/revision.ts";
import { command, query } from "../../src/db/statement.ts";
import type { Writing } from "../../src/db/transaction.ts";
import { temporaryFolder } from "../cli/run-cli.ts";
import { commitsIn } from "./wal.ts";

const tags = query<object, string>(`SELECT name FROM tag_types WHERE name <> 'simple' ORDER BY name`);
const addTag = command<{ name: string }>(`INSERT INTO tag_types (name) VALUES (:name)`);
const addLost = command<object>(
  `INSERT INTO feature_tags (feature, type, value) VALUES ('nope', 'nope', 'nope')`,
);

/** A file, another connection to it, and the number of commits since. */
function openFile(t: TestContext) {
  const file = path.join(temporaryFolder(t), "flags.db");
  const [db, other] = [open(file), open(file)];
  t.after(() => [other, db].forEach(close));
  const before = commitsIn(file);
  return { db, other, commits: () => commitsIn(file) - before, stored: () => tags(other).pluck().all({}) };
}

const add = (name: string) => (writing: Writing) => {
  addTag(writing).run({ name });
  return name;
};

const settled = async (changes: Array<Promise<unknown>>) =>
  (await Promise.allSettled(changes)).map((one) =>
    one.status === "fulfilled" ? one.value : one.reason.message,
  );

test("concurrent changes share one commit, later ones have their own", async (t) => {
  const { db, commits, stored } = openFile(t);
  const names = ["a", "b", "c", "d"];
  assert.deepEqual(await Promise.all(names.map((name) => inGroup(db, add(name)))), names);
  assert.deepEqual([commits(), stored()], [1, names]);
  await inGroup(db, add("e"));
  await inGroup(db, add("f"));
  assert.equal(commits(), 3);
});

test("a change is answered only once it is on disk", async (t) => {
  const { db, stored } = openFile(t);
  let wasStored: string[] | undefined;
  await inGroup(db, (writing) => {
    writing.afterCommit.push(() => (wasStored = stored()));
    add("a")(writing);
    assert.deepEqual(stored(), [], "other connections don't see it yet");
  });
  assert.deepEqual([wasStored, stored()], [["a"], ["a"]]);
});

test("deferred writes come after all changes that share the commit", async (t) => {
  const { db, commits, stored } = openFile(t);
  const done: string[] = [];
  const change = (name: string) => (writing: Writing) => {
    writing.beforeCommit.push(() => done.push(add(`${name}-last`)(writing)));
    done.push(add(name)(writing));
  };
  await Promise.all(["a", "b"].map((name) => inGroup(db, change(name))));
  assert.deepEqual(done, ["a", "b", "a-last", "b-last"]);
  assert.deepEqual([commits(), stored()], [1, done.toSorted()]);
});

test("a change that fails before it writes does not affect others", async (t) => {
  const { db, commits, stored } = openFile(t);
  let runs = 0;
  const good = (name: string) => inGroup(db, (writing) => add(`${name}${++runs}`)(writing));
  const bad = inGroup(db, () => {
    throw new Error("no");
  });
  assert.deepEqual(await settled([good("a"), bad, good("b")]), ["a1", "no", "b2"]);
  assert.deepEqual([commits(), stored()], [1, ["a1", "b2"]]);
});

test("a change that fails after it has written leaves nothing; the others are stored, and run at most twice", async (t) => {
  const { db, stored } = openFile(t);
  const runs = new Map<string, number>();
  const good = (name: string) =>
    inGroup(db, (writing) => {
      runs.set(name, (runs.get(name) ?? 0) + 1);
      return add(name)(writing);
    });
  const bad = (name: string) =>
    inGroup(db, (writing) => {
      add(name)(writing);
      throw new Error(`no ${name}`);
    });
  const changes = [good("a"), bad("x"), good("b"), good("c"), bad("y"), bad("z"), good("d")];
  assert.deepEqual(await settled(changes), ["a", "no x", "b", "c", "no y", "no z", "d"]);
  assert.deepEqual(stored(), ["a", "b", "c", "d"]);
  assert.ok(Math.max(...runs.values()) <= 2, JSON.stringify([...runs]));
});

test("a change that can wait is committed with the next one that can't, or when its time is up", async (t) => {
  const { db, commits, stored } = openFile(t);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const late = inGroup(db, add("a"), true);
  await new Promise(setImmediate);
  assert.equal(commits(), 0);
  await Promise.all([late, inGroup(db, add("b"))]);
  assert.deepEqual([commits(), stored()], [1, ["a", "b"]]);
  const both = Promise.all([inGroup(db, add("c"), true), inGroup(db, add("d"), true)]);
  t.mock.timers.tick(1000);
  await both;
  assert.deepEqual([commits(), stored()], [2, ["a", "b", "c", "d"]]);
});

test("of two conflicting changes, one succeeds and the other gets SQLite's error", async (t) => {
  const { db, stored } = openFile(t);
  const [first, second] = await settled([inGroup(db, add("a")), inGroup(db, add("a"))]);
  assert.deepEqual([first, stored()], ["a", ["a"]]);
  assert.match(second, /UNIQUE constraint failed: tag_types.name/);
});

test("if the commit fails, all fail, nothing is stored, and no callback runs", async (t) => {
  const { db, stored } = openFile(t);
  const stamp = stampOf(["tag_types"], changesSoFar());
  let done = 0;
  const change = (name: string) =>
    inGroup(db, (writing) => {
      writing.afterCommit.push(() => done++);
      return add(name)(writing);
    });
  const breaking = inGroup(db, (writing) => {
    db.pragma("defer_foreign_keys = ON"); // checked at the commit
    addLost(writing).run({});
  });
  const failures = await settled([change("a"), breaking, change("b")]);
  assert.deepEqual(failures, Array(3).fill("FOREIGN KEY constraint failed"));
  assert.deepEqual([done, stored(), db.inTransaction, isCurrent(db, stamp)], [0, [], false, true]);
  assert.equal(await change("c"), "c", "later changes work");
  assert.deepEqual([done, isCurrent(db, stamp)], [1, false]);
});

test("callbacks do not run after a failed change, and once for each of the others", async (t) => {
  const { db } = openFile(t);
  const done: string[] = [];
  const change = (name: string, fails: boolean) =>
    inGroup(db, (writing) => {
      writing.afterCommit.push(() => done.push(name));
      add(name)(writing);
      if (fails) throw new Error("no");
    });
  await settled([change("a", false), change("b", true), change("c", false)]);
  assert.deepEqual(done, ["a", "c"]);
});

test("reads continue while another process writes, and the change is made as soon as possible", async (t) => {
  const { db, other, commits, stored } = openFile(t);
  other.exec("BEGIN IMMEDIATE");
  const changes = ["a", "b"].map((name) => inGroup(db, add(name)));
  for (let turn = 0; turn < 20; turn++) {
    assert.deepEqual(tags(db).pluck().all({}), []);
    await new Promise(setImmediate); // had it blocked on the lock, the changes would have given up
  }
  const late = inGroup(db, add("c"));
  other.exec("COMMIT");
  assert.deepEqual(await Promise.all([...changes, late]), ["a", "b", "c"]);
  assert.deepEqual([commits(), stored()], [1, ["a", "b", "c"]]);
});

test("a deferred write to a file closed by then fails, with no other effect", async () => {
  const db = open(IN_MEMORY);
  const late = inGroup(db, () => {});
  close(db);
  await assert.rejects(late, /is closed/);
});
