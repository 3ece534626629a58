import type { Database } from "./database.ts";
import { bookkeeping, valueQuery } from "./statement.ts";
import type { Writing } from "./transaction.ts";

/*
 * Keeps what rows were before each change, in the same commit, so that the database can be seen as it was
 * (src/db/state-at.ts). Triggers made from the schema do it, so no change can forget it.
 */

/**
 * The tables whose rows are kept, and their columns that are not: secrets, what changes by itself, and what is derived.
 * A table comes after those it refers to.
 */
export const KEPT: Readonly<Record<string, readonly string[]>> = {
  environments: [],
  projects: [],
  deleted_private_projects: [],
  project_environments: [],
  roles: [],
  role_permissions: [],
  users: ["seen_at", "login_attempts", "email_sent", "invite_link", "password_hash"],
  groups: [],
  group_users: [],
  project_user_roles: [],
  project_group_roles: [],
  feature_types: [],
  strategy_types: [],
  tag_types: [],
  tags: [],
  context_fields: [],
  segments: [],
  features: ["seen_at"],
  feature_tags: [],
  feature_links: [],
  feature_dependencies: [],
  feature_stages: [],
  feature_environments: ["last_seen_at"],
  strategies: [],
  strategy_segments: [],
};

interface Column {
  name: string;
  /** Its place in the primary key, from 1; 0 if it is not part of it. */
  pk: number;
}

/** A kept table: the columns of its key, and those that are kept. */
export interface KeptTable {
  name: string;
  key: readonly string[];
  columns: readonly string[];
}

/** The kept tables of a database. A table without a primary key is told apart by its row's id. */
export const keptTables = (db: Database): KeptTable[] =>
  Object.entries(KEPT).map(([name, left]) => {
    const all = db.prepare<[string], Column>("SELECT name, pk FROM pragma_table_info(?)").all(name);
    const key = all.filter(({ pk }) => pk > 0).map((column) => column.name);
    const columns = all.map((column) => column.name).filter((column) => !left.includes(column));
    return key.length > 0 ? { name, key, columns } : { name, key: ["rowid"], columns: ["rowid", ...columns] };
  });

/** Columns of a row, such as `old`, as a list. */
const of = (row: "old" | "new", columns: readonly string[]) =>
  columns.map((column) => `${row}."${column}"`).join();

/** Keeps a row with its columns' names, so that later versions of the schema can read it. */
const keep = (table: string, key: string, row: string) =>
  `INSERT INTO history ("table", key, row) SELECT '${table}', json_array(${key}), ${row}`;

/**
 * A row that appears was not there; one that goes was what it was; one that changes had other values in some columns. A
 * key that changes is a row that goes and one that appears.
 */
function triggersOf({ name, key, columns }: KeptTable): string[] {
  const [oldKey, newKey] = [of("old", key), of("new", key)];
  const row = `json_object(${columns.map((column) => `'${column}', old."${column}"`)})`;
  const values = columns.map(
    (column) => `SELECT '${column}' AS name, old."${column}" AS was, new."${column}" AS now`,
  );
  const changed = `(SELECT json_group_object(name, was) FROM (${values.join(" UNION ALL ")}) WHERE was IS NOT now)`;
  const isSame = `(${oldKey}) IS (${newKey})`;
  const settable = columns.filter((column) => column !== "rowid");
  return [
    `CREATE TRIGGER history_of_added_${name} AFTER INSERT ON ${name} BEGIN ${keep(name, newKey, "NULL")}; END;`,
    `CREATE TRIGGER history_of_removed_${name} AFTER DELETE ON ${name} BEGIN ${keep(name, oldKey, row)}; END;`,
    `CREATE TRIGGER history_of_changed_${name} AFTER UPDATE OF ${settable} ON ${name}
    WHEN (${of("old", columns)}) IS NOT (${of("new", columns)}) BEGIN
      ${keep(name, oldKey, `CASE WHEN ${isSame} THEN ${changed} ELSE ${row} END`)};
      ${keep(name, newKey, "NULL")} WHERE NOT ${isSame};
    END;`,
  ];
}

/** From now on, changes are kept. */
export function keepHistory(db: Database) {
  db.exec(keptTables(db).flatMap(triggersOf).join(""));
  beginHistory(db);
}

/** Forgets what was before an import, which would be that there was nothing: the history begins with what is there now. */
export function restartHistory({ db }: Writing) {
  clearHistory(db);
  beginHistory(db);
}

const clearHistory = (db: Database) => db.exec("DELETE FROM history; DELETE FROM history_points");

const beginHistory = (db: Database) =>
  db.exec(`
    INSERT INTO history_points (history, event, at)
    SELECT 0, ifnull(max(id), 0), strftime('%Y-%m-%dT%H:%M:%fZ', 'now') FROM events
    WHERE NOT EXISTS (SELECT 1 FROM history_points)`);

/** The last row stays, since its id is not to be given again. */
const EARLIER = "FROM history WHERE id <= :history AND id < (SELECT max(id) FROM history)";

export const countHistory = valueQuery<Reached, number>(`SELECT count(*) ${EARLIER}`);

const removeRows = bookkeeping<Reached>(
  `DELETE FROM history WHERE id IN (SELECT id ${EARLIER} ORDER BY id LIMIT 10000)`,
);

const removePoints = bookkeeping<Reached>(
  "DELETE FROM history_points WHERE history < :history OR history = :history AND event < :event",
);

/** A point of the history. */
interface Reached {
  history: number;
  event: number;
}

/** Forgets what was before a point, at most 10,000 rows at a time. @returns how many */
export function forgetHistory(tx: Writing, { history, event }: Reached): number {
  removePoints(tx).run({ history, event });
  return removeRows(tx).run({ history, event }).changes;
}

/** What a row was: columns of it, or null if there was none, with its table and its key. */
export type KeptRow = readonly [table: string, key: readonly unknown[], row: object | null];

/** A change of the past: its time, RFC 3339, its last event, and what rows were before it. */
export interface PastChange {
  at: string;
  event: number;
  rows: readonly KeptRow[];
}

/** Replaces the history, such as that of an example. @param changes oldest first, at least one */
export function rewriteHistory(tx: Writing, changes: readonly PastChange[]) {
  clearHistory(tx.db);
  addPoint(tx).run({ event: 0, at: changes[0]!.at });
  for (const { at, event, rows } of changes) {
    for (const [table, key, row] of rows)
      addRow(tx).run({ table, key: JSON.stringify(key), row: row && JSON.stringify(row) });
    addPoint(tx).run({ event, at });
  }
}

const addRow = bookkeeping<{ table: string; key: string; row: string | null }>(
  `INSERT INTO history ("table", key, row) VALUES (:table, :key, :row)`,
);

const addPoint = bookkeeping<{ event: number; at: string }>(`
  INSERT OR IGNORE INTO history_points (history, event, at)
  SELECT ifnull((SELECT max(id) FROM history), 0), :event, :at`);
