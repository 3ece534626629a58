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
    ["SELECT id FROM events WHERE id <= :from"],
    /^SEARCH events USING INTEGER PRIMARY KEY/,
  ],
  [
    "a project's newest events",
    ["SELECT id FROM events WHERE project = :project"],
    /^SEARCH events USING COVERING INDEX events_by_project/,
  ],
  [
    "the JSON of the newest events",
    ["THEN events.wire END FROM events WHERE id <= :from"],
    /^SEARCH events USING INTEGER PRIMARY KEY/,
  ],
  [
    "the JSON of a project's newest events",
    ["THEN events.wire END FROM events WHERE project = :project"],
    /^SEARCH events USING INDEX events_by_project/,
  ],
  [
    "the JSON of a type's newest events",
    ["THEN events.wire END FROM events INDEXED BY events_by_type WHERE type = :type"],
    /^SEARCH events USING INDEX events_by_type /,
  ],
  [
    "the JSON of a type's newest events in a project",
    ["THEN events.wire END FROM events INDEXED BY events_by_type_and_project"],
    /^SEARCH events USING INDEX events_by_type_and_project /,
  ],
  [
    "all of a project's events",
    ["AS longest", "SELECT id, wire FROM events WHERE project = :project"], // also read row by row
    /^SEARCH events USING INDEX events_by_project/,
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
