import * as v from "valibot";
import { bit, Flag, kind, OptionalText, OptionalTime, Real, withoutNulls } from "../../dataset/kind.ts";
import { query } from "../../db/statement.ts";
import { PathName } from "../../lib/validation.ts";
import { type ContextFieldRow, insertContextField } from "./changes.ts";

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
  createdAt: OptionalTime,
});

const all = query<object, ContextFieldRow>(`
  SELECT name, description, stickiness, sort_order AS sortOrder, legal_values AS legalValues, created_at AS createdAt
  FROM context_fields ORDER BY name`);

export const contextField = kind({
  name: "contextField",
  schema: ContextField,
  insert: ({ tx, now }, line) =>
    void insertContextField(tx).run({
      ...line,
      stickiness: bit(line.stickiness),
      legalValues: JSON.stringify(line.legalValues),
      createdAt: line.createdAt ?? now,
    }),
  *rows(db) {
    for (const row of all(db).iterate({})) {
      const legalValues = JSON.parse(row.legalValues);
      yield withoutNulls({ ...row, stickiness: row.stickiness === 1, legalValues });
    }
  },
});
