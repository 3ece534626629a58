import * as v from "valibot";
import { Id, type Kind, kind } from "../dataset/kind.ts";
import { command, query } from "../db/statement.ts";

interface Counter {
  table: string;
  last: number;
}

const remove = command<Counter>(`DELETE FROM sqlite_sequence WHERE name = :table AND seq < :last`);

// The column has no type: a number is bound as a real one.
const insert = command<Counter>(`
  INSERT INTO sqlite_sequence (name, seq)
  SELECT :table, CAST(:last AS INTEGER) WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = :table)`);

/** The last id given to each of these kinds, where it is greater than that of any row. */
export function counterOf(kinds: readonly Kind[]) {
  const numbered = kinds
    .filter(({ isNumbered }) => isNumbered)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const tables = new Map(numbered.map(({ name, tables }) => [name, tables[0]!]));
  const ahead = query<object, { of: string; last: number }>(
    [...tables]
      .map(
        ([name, table]) => `
  SELECT '${name}' AS "of", seq AS last FROM sqlite_sequence
  WHERE name = '${table}' AND seq > (SELECT ifnull(max(id), 0) FROM ${table})`,
      )
      .join(" UNION ALL "),
  );
  return kind({
    name: "counter",
    tables: ["sqlite_sequence"],
    schema: v.strictObject({ of: v.picklist([...tables.keys()]), last: Id }),
    insert({ tx }, { of, last }) {
      remove(tx).run({ table: tables.get(of)!, last });
      insert(tx).run({ table: tables.get(of)!, last });
    },
    rows: (db) => ahead(db).iterate({}),
  });
}
