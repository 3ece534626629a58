import * as v from "valibot";
import { command, query } from "../../db/statement.ts";
import { kind } from "../../transfer/kind.ts";
import { bit, Flag, OptionalText, Real, withoutNulls } from "../../transfer/value.ts";
import { PathName } from "../../validation.ts";

const ContextField = v.strictObject({
  name: PathName,
  description: OptionalText,
  stickiness: Flag(false),
  sortOrder: v.optional(Real, 10),
  legalValues: v.optional(
    v.array(
      v.pipe(
        v.strictObject({ value: v.string(), description: OptionalText }),
        v.transform((value) => withoutNulls(value)),
      ),
    ),
    [],
  ),
});

interface Row {
  name: string;
  description: string | null;
  stickiness: 0 | 1;
  sortOrder: number;
  legalValues: string;
}

const insertRow = command<Row>(`
  INSERT INTO context_fields (name, description, stickiness, sort_order, legal_values)
  VALUES (:name, :description, :stickiness, :sortOrder, :legalValues)`);

const all = query<object, Row>(`
  SELECT name, description, stickiness, sort_order AS sortOrder, legal_values AS legalValues
  FROM context_fields ORDER BY name`);

export const contextField = kind({
  name: "contextField",
  schema: ContextField,
  insert: ({ tx }, line) =>
    void insertRow(tx).run({
      ...line,
      stickiness: bit(line.stickiness),
      legalValues: JSON.stringify(line.legalValues),
    }),
  *rows(db) {
    for (const row of all(db).iterate({})) {
      const legalValues = JSON.parse(row.legalValues);
      yield withoutNulls({ ...row, stickiness: row.stickiness === 1, legalValues });
    }
  },
});
