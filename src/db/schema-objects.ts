import type { Database } from "./database.ts";

/** A table, index, view or trigger. */
export interface SchemaObject {
  type: string;
  name: string;
  /** The table that an index or a trigger belongs to; the name of any other. */
  table: string;
  sql: string;
}

/** In the order in which they were created, without what SQLite makes by itself. */
export const schemaObjects = (db: Database) =>
  db
    .prepare<[], SchemaObject>(`
      SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema
      WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
        AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
      ORDER BY rowid`)
    .all();
