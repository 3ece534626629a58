import type { Database } from "../../src/db/database.ts";

/** The tables that a dataset leaves out on purpose; docs/dataset.md says so of each. */
export const NOT_EXPORTED = [
  "deliveries",
  "feedback",
  "history",
  "history_points",
  "identities",
  "integration_troubles",
  "reset_tokens",
  "second_factors",
  "sessions",
  "sign_in_links",
  "sign_ins",
  "splashes",
];

/** Columns that differ in a copy although it holds the same: row ids that nothing shows, and encrypted secrets. */
const OF_THIS_FILE: Readonly<Record<string, string[]>> = {
  hourly_usage: ["series"],
  hourly_variants: ["series"],
  integrations: ["parameters"],
  settings: ["content"],
  tokens: ["secret"],
  usage_series: ["id"],
};

/** The last ids given, of which those of records of deliveries and sign-ins begin anew. */
const COUNTERS = "(SELECT * FROM sqlite_sequence WHERE name NOT IN ('integration_events', 'sign_ins'))";

/** The tables of a file, without SQLite's own and those of the search index. */
export const tablesOf = (db: Database): string[] =>
  db
    .prepare<[], string>(
      "SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .pluck()
    .all()
    .sort();

/** Every row of every table that survives an export, as text, in an order of its own. */
export function contentsOf(db: Database): Record<string, string[]> {
  const tables = tablesOf(db).filter((table) => !NOT_EXPORTED.includes(table));
  return Object.fromEntries([...tables, COUNTERS].map((table) => [table, rowsOf(db, table)]));
}

function rowsOf(db: Database, table: string) {
  const hidden = OF_THIS_FILE[table] ?? [];
  const rows = db.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`).safeIntegers().all();
  const toText = (key: string, value: unknown) => {
    if (hidden.includes(key)) return undefined;
    return typeof value === "bigint" ? String(value) : value;
  };
  return rows
    .filter(({ name }) => table !== "settings" || name !== "unleash.enterprise.auth.oidc") // left out: see docs/dataset.md
    .map((row) => JSON.stringify(row, toText))
    .sort();
}
