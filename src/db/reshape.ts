import { connect } from "./connect.ts";
import type { Database } from "./database.ts";
import { type SchemaObject, schemaObjects } from "./schema-objects.ts";

/** The same for two that differ in spaces and comments. */
const keyOf = ({ sql }: SchemaObject) =>
  sql
    .replace(/--[^\n]*/g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([(),;]) ?/g, "$1");

/**
 * Gives a database the tables, indexes, views and triggers of a schema, and leaves alone those that are the same. A table
 * that is replaced, since more than its last columns are new, keeps the rows of all columns that it still has; a new one has the rows of a new file. Foreign keys must
 * be off.
 * @param fillIn called when all is in its place, and the rows of replaced tables are in `old_NAME` too
 */
export function reshape(db: Database, schema: string, fillIn: () => void) {
  const fresh = connect(":memory:");
  db.pragma("legacy_alter_table = ON"); // or what refers to a table would follow it to its other name
  try {
    fresh.exec(schema);
    addColumns(db, fresh);
    const replaced = setAside(db, new Set(schemaObjects(fresh).map(keyOf)));
    addMissing(db, fresh, replaced);
    fillIn();
    for (const name of replaced) db.exec(`DROP TABLE "old_${name}"`);
  } finally {
    db.pragma("legacy_alter_table = OFF");
    fresh.close();
  }
}

/** To tables that have all others, so that large ones need not be replaced. */
function addColumns(db: Database, fresh: Database) {
  const wanted = new Map(schemaObjects(fresh).map((object) => [object.name, keyOf(object)]));
  for (const object of schemaObjects(db).filter(({ type }) => type === "table")) {
    const added = columnsBetween(keyOf(object), wanted.get(object.name) ?? "");
    if (added.some((column) => /NOT NULL(?!.* DEFAULT )/.test(column))) continue;
    for (const column of added) db.exec(`ALTER TABLE "${object.name}" ADD COLUMN ${column}`);
  }
}

/** The columns that a table has after those of another one that is the same otherwise. */
function columnsBetween(table: string, longer: string): string[] {
  const end = table.lastIndexOf(")");
  if (!longer.startsWith(`${table.slice(0, end)},`) || !longer.endsWith(table.slice(end))) return [];
  const added = longer.slice(end + 1, end - table.length);
  return added.split(/,(?![^(]*\))/);
}

/** @returns the names of the tables that are called `old_NAME` now */
function setAside(db: Database, wanted: ReadonlySet<string>): Set<string> {
  const objects = schemaObjects(db);
  const others = objects.filter((object) => !wanted.has(keyOf(object)));
  const replaced = new Set(others.filter(({ type }) => type === "table").map(({ name }) => name));
  for (const object of objects) {
    const { type, name, table } = object;
    if (!others.includes(object) && !replaced.has(table)) continue;
    db.exec(type === "table" ? `ALTER TABLE "${name}" RENAME TO "old_${name}"` : `DROP ${type} "${name}"`);
  }
  return replaced;
}

function addMissing(db: Database, fresh: Database, replaced: ReadonlySet<string>) {
  const kept = new Set(schemaObjects(db).map(({ name }) => name));
  for (const { type, name, sql } of schemaObjects(fresh).filter((object) => !kept.has(object.name))) {
    db.exec(sql);
    if (replaced.has(name)) copyRows(db, name);
    else if (type === "table") addRows(db, name, fresh.prepare(`SELECT * FROM "${name}"`).raw().all());
  }
}

/** What was created at a time that nobody knows was created now. */
const NOW = { created_at: `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')` };

function copyRows(db: Database, name: string) {
  const columnsOf = (table: string) =>
    db.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(table);
  const values: Record<string, string> = { ...NOW };
  for (const column of columnsOf(`old_${name}`)) values[column] = `"${column}"`;
  const columns = columnsOf(name).filter((column) => column in values);
  db.prepare("UPDATE sqlite_sequence SET name = ? WHERE name = ?").run(name, `old_${name}`);
  db.exec(
    `INSERT INTO "${name}" (${columns}) SELECT ${columns.map((column) => values[column])} FROM "old_${name}"`,
  );
}

function addRows(db: Database, name: string, rows: unknown[]) {
  for (const row of rows as unknown[][])
    db.prepare(`INSERT INTO "${name}" VALUES (${row.map(() => "?")})`).run(row);
}
