import * as v from "valibot";
import { Id, kind } from "../dataset/kind.ts";
import { command, query } from "../db/statement.ts";

/** The tables whose ids are never reused, as events, flags and scripts may refer to something deleted. */
const TABLES = {
  banner: "banners",
  changeRequest: "change_requests",
  event: "events",
  integration: "integrations",
  invitation: "invitations",
  notification: "notifications",
  segment: "segments",
  token: "tokens",
  user: "users",
} as const;

const KINDS = Object.keys(TABLES) as Array<keyof typeof TABLES>;

/** Other counters follow from the rows. */
const ahead = query<object, { of: string; last: number }>(
  KINDS.map(
    (name) => `
  SELECT '${name}' AS "of", seq AS last FROM sqlite_sequence
  WHERE name = '${TABLES[name]}' AND seq > (SELECT ifnull(max(id), 0) FROM ${TABLES[name]})`,
  ).join(" UNION ALL "),
);

interface Counter {
  table: string;
  last: number;
}

const remove = command<Counter>(`DELETE FROM sqlite_sequence WHERE name = :table AND seq < :last`);

// The column has no type: a number is bound as a real one.
const insert = command<Counter>(`
  INSERT INTO sqlite_sequence (name, seq)
  SELECT :table, CAST(:last AS INTEGER) WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = :table)`);

export const counter = kind({
  name: "counter",
  schema: v.strictObject({ of: v.picklist(KINDS), last: Id }),
  insert({ tx }, { of, last }) {
    remove(tx).run({ table: TABLES[of], last });
    insert(tx).run({ table: TABLES[of], last });
  },
  rows: (db) => ahead(db).iterate({}),
});
