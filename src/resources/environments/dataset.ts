import * as v from "valibot";
import { command, query } from "../../db/statement.ts";
import { kind } from "../../transfer/kind.ts";
import { bit, Flag, Name, Real } from "../../transfer/value.ts";
import { PathName } from "../../validation.ts";

interface Row {
  name: string;
  type: string;
  sortOrder: number;
  enabled: 0 | 1;
  protected: 0 | 1;
}

const insertRow = command<Row>(`
  INSERT INTO environments (name, type, sort_order, enabled, protected)
  VALUES (:name, :type, :sortOrder, :enabled, :protected)`);

const all = query<object, Row>(`
  SELECT name, type, sort_order AS sortOrder, enabled, protected FROM environments ORDER BY name`);

export const environment = kind({
  name: "environment",
  schema: v.strictObject({
    name: PathName,
    type: Name,
    sortOrder: v.optional(Real, 9999),
    enabled: Flag(true),
    protected: Flag(false),
  }),
  insert: ({ tx }, line) =>
    void insertRow(tx).run({ ...line, enabled: bit(line.enabled), protected: bit(line.protected) }),
  *rows(db) {
    for (const row of all(db).iterate({})) {
      yield { ...row, enabled: row.enabled === 1, protected: row.protected === 1 };
    }
  },
});
