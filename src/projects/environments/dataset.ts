import * as v from "valibot";
import { kind } from "../../dataset/kind.ts";
import { bit, Flag, Name, Real } from "../../dataset/value.ts";
import { query } from "../../db/statement.ts";
import { PathName } from "../../lib/validation.ts";
import { type EnvironmentRow, insertEnvironment } from "./changes.ts";

const all = query<object, EnvironmentRow>(`
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
    void insertEnvironment(tx).run({ ...line, enabled: bit(line.enabled), protected: bit(line.protected) }),
  *rows(db) {
    for (const row of all(db).iterate({})) {
      yield { ...row, enabled: row.enabled === 1, protected: row.protected === 1 };
    }
  },
});
