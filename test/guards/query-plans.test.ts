import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../../src/db/database.ts";
import "../../src/server/surfaces.ts";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { prepareAll } from "../../src/db/statement.ts";

/** Tables that grow with use. */
const LARGE = /SCAN (events|integration_events|notifications|notification_recipients|features|strategies)\b/;

/** Commands and datasets, which read a whole table, and counts for the statistics. */
const WHOLE = [
  /^SELECT CASE WHEN coalesce\(first_id, hash\) IS NULL THEN wire .* FROM events ORDER BY id$/s,
  /FROM events WHERE hash IS NULL/,
  /^SELECT \(SELECT count\(hash\) FROM events\)/,
  /^SELECT name, project, type, description, stale, .* FROM features ORDER BY name$/s,
  /^SELECT id, message, link.* FROM notifications ORDER BY id$/s,
  /^SELECT CAST\(id AS TEXT\) AS id, integration_id/,
  /^SELECT \(SELECT count\(\*\) FROM users WHERE account_type = 'User'\) AS users/,
  /^SELECT ifnull\(max\(strategies\), 0\) AS maxEnvironmentStrategies/,
];

const collect = () => {
  const found: string[] = [];
  const prepare = (sql: string) => {
    found.push(sql);
    return { readonly: true };
  };
  prepareAll({ prepare } as unknown as Database);
  return found
    .map((sql) => sql.trim())
    .filter((sql) => /^(SELECT|WITH)/.test(sql) && !/\b(UPDATE|DELETE|INSERT)\b/.test(sql));
};

test("no read of an operation scans a growing table", () => {
  const db = open(IN_MEMORY);
  const statements = collect();
  assert.ok(statements.length > 20);
  for (const sql of statements.filter((text) => !WHOLE.some((whole) => whole.test(text)))) {
    const names = [...sql.matchAll(/:(\w+)/g)].map(([, name]) => [name, null]);
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(Object.fromEntries(names)) as Array<{
      detail: string;
    }>;
    const scans = plan.map((step) => step.detail).filter((detail) => LARGE.test(detail));
    assert.deepEqual(scans, [], sql);
  }
  close(db);
});
