import assert from "node:assert/strict";
import { test } from "node:test";
import Sqlite from "better-sqlite3";
import "../../src/cli/run.ts";
import { migrate } from "../../src/db/migrations.ts";
import { IN_MEMORY } from "../../src/db/open.ts";
import { prepareAll } from "../../src/db/statement.ts";

const prepared: string[] = [];

/** A database that records the statements it prepares: all SQL of the program. */
class RecordingDatabase extends Sqlite {
  override prepare<Bind extends unknown[] | object, Row>(sql: string) {
    prepared.push(sql);
    return super.prepare<Bind, Row>(sql);
  }
}

const db = new RecordingDatabase(IN_MEMORY);
migrate(db);
prepared.length = 0;
prepareAll(db);
const statements = [...prepared];

/** SQLite's steps: SEARCH is a lookup by index, SCAN reads a whole table. */
function planOf(sql: string): string[] {
  const names = [...sql.matchAll(/:(\w+)/g)].map((match) => match[1]!);
  const bind = Object.fromEntries(names.map((name) => [name, null]));
  const rows = db.prepare<object, { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(bind);
  return rows.map((row) => row.detail);
}

const oneLine = (sql: string) => sql.trim().replaceAll(/\s+/g, " ").replaceAll("+:", ":");

/** The program's only statement that contains all these words. */
function statementWith(...words: string[]) {
  const found = statements.filter((sql) => words.every((word) => oneLine(sql).includes(word)));
  assert.equal(found.length, 1, `${found.length} statements with ${words.join(", ")}`);
  return found[0]!;
}

for (const [name, words, step] of [
  ["a token", ["WHERE tokens.hash = :hash"], /^SEARCH tokens USING INDEX .*\(hash=\?\)/],
  ["a user", ["scim_id AS scimId FROM users WHERE id = :id"], /^SEARCH users USING INTEGER PRIMARY KEY/],
  [
    "the newest events",
    ["FROM events WHERE id BETWEEN :first AND :last"],
    /^SEARCH events USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/,
  ],
  [
    "all of a project's events",
    ["FROM events WHERE project = :projects ->> 0", "ORDER BY id DESC"],
    /^SEARCH events USING COVERING INDEX events_by_project \(project=\? AND rowid>\? AND rowid<\?\)/,
  ],
  [
    "an integration's records",
    ["CROSS JOIN integration_events AS records", "LIMIT :limit OFFSET :offset"],
    /^SEARCH listed USING COVERING INDEX integration_events_by_integration/,
  ],
  [
    "a flag's strategies",
    ["AS featureName, sort_order AS sortOrder", "ORDER BY sort_order, id"],
    /^SEARCH strategies USING INDEX strategies_in_order/,
  ],
] as const) {
  test(`${name}: found by an index and read in order`, () => {
    const plan = planOf(statementWith(...words));
    assert.ok(
      plan.some((found) => step.test(found)),
      plan.join("\n"),
    );
    assert.ok(!plan.includes("USE TEMP B-TREE FOR ORDER BY"), plan.join("\n"));
  });
}

test("the newest events of each type are read from events_by_type in order, and only they are sorted", () => {
  const plan = planOf(statementWith("INDEXED BY events_by_type ", "ORDER BY events.id DESC"));
  const step = "SEARCH one USING COVERING INDEX events_by_type (type=? AND id>? AND id<?)";
  assert.ok(plan.includes(step), plan.join("\n"));
  assert.deepEqual(
    plan.filter((found) => found.includes("TEMP B-TREE")),
    ["USE TEMP B-TREE FOR DISTINCT", "USE TEMP B-TREE FOR ORDER BY"],
  );
});

for (const [index, key] of [
  ["events_by_project", "project=?"],
  ["events_by_type_and_project", "type=? AND project=?"],
  ["events_by_creator", "<expr>=? AND project=? AND type=?"],
]) {
  test(`the newest events of each group are read from ${index} in order, and only they are sorted`, () => {
    const plan = planOf(statementWith(`INDEXED BY ${index} `, "ORDER BY events.id DESC"));
    const group = plan.indexOf(`SEARCH one USING COVERING INDEX ${index} (${key} AND rowid>? AND rowid<?)`);
    assert.ok(group > 0, plan.join("\n"));
    assert.deepEqual(plan.slice(group + 1), ["USE TEMP B-TREE FOR ORDER BY"]);
  });
}

test("a user's notifications: the newest of each project are looked up one by one, named ones read in order", () => {
  const plan = planOf(statementWith("WITH RECURSIVE followed"));
  const after = (step: string) => plan[plan.findIndex((found) => found.startsWith(step)) + 1];
  const newest = "SEARCH notifications USING COVERING INDEX notifications_by_project (project=? AND type=?";
  assert.ok(plan.includes(`${newest})`) && plan.includes(`${newest} AND created_at<?)`), plan.join("\n"));
  assert.equal(after(`${newest})`), "RECURSIVE STEP", "not sorted");
  assert.equal(after(`${newest} AND`), "SCAN latest", "not sorted");
  assert.equal(after("SEARCH received USING PRIMARY KEY (user_id=?)"), BY_ID, plan.join("\n"));
  assert.equal(
    plan.filter((step) => step.includes("TEMP B-TREE FOR ORDER BY")).length,
    2,
    "at most 200 rows each",
  );
});

const BY_ID = "SEARCH notifications USING INTEGER PRIMARY KEY (rowid=?)";
