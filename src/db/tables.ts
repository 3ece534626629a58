import { perDatabase } from "./per-database.ts";
import type { Database } from "./statement.ts";

interface Step {
  opcode: string;
  p1: number;
  p2: number;
  p3: number;
}

/** Opcodes of SQLite's virtual machine that open a table or one of its indexes. */
const OPENS = { read: /^(OpenRead|ReopenIdx)$/, write: /^OpenWrite$/ };

export type Use = keyof typeof OPENS;

/**
 * The tables that SQL reads or writes, including through views, triggers and cascades. They come from SQLite's plan,
 * so nobody has to declare which tables a response was read from.
 */
export function tablesOf(db: Database, sql: string, use: Use): readonly string[] {
  const parameters = [...sql.matchAll(/(?<!\w):([a-z]\w*)/gi)].map(([, name = ""]) => [name, null]);
  const steps = db.prepare<[object], Step>(`EXPLAIN ${sql}`).all(Object.fromEntries(parameters)); // nothing is run
  const owners = ownersOf(db);
  const tables = steps.flatMap((step) => owners.get(rootPage(step, use)) ?? []);
  return [...new Set(tables)];
}

/** For a step that opens something in the main file, which is database 0; `Clear` empties a whole table. */
function rootPage({ opcode, p1, p2, p3 }: Step, use: Use) {
  if (OPENS[use].test(opcode) && p3 === 0) return p2;
  return use === "write" && opcode === "Clear" ? p1 : -1;
}

/** Maps each root page to its table; an index counts as its table. */
const ownersOf = perDatabase((db): ReadonlyMap<number, string> => {
  const pages = "SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 0";
  return new Map(db.prepare<[], [number, string]>(pages).raw().all());
});
