import * as v from "valibot";
import { query } from "../../db/statement.ts";
import { kind } from "../../transfer/kind.ts";
import { bit, Flag, OptionalText, withoutNulls } from "../../transfer/value.ts";
import { nameWarnings } from "../../transfer/warnings.ts";
import { PathName } from "../../validation.ts";
import { insertStrategyType, type StrategyTypeRow } from "./changes.ts";
import { StrategyParameter } from "./schema.ts";

// Every file already has the built-in ones.
const custom = query<object, StrategyTypeRow>(`
  SELECT name, title, description, parameters, deprecated FROM strategy_types WHERE editable ORDER BY name`);

export const strategyType = kind({
  name: "strategyType",
  schema: v.strictObject({
    name: PathName,
    title: OptionalText,
    description: OptionalText,
    parameters: v.optional(v.array(StrategyParameter), []),
    deprecated: Flag(false),
  }),
  insert: ({ tx }, line) =>
    void insertStrategyType(tx).run({
      ...line,
      parameters: JSON.stringify(line.parameters),
      deprecated: bit(line.deprecated),
    }),
  *rows(db) {
    for (const row of custom(db).iterate({})) {
      const parameters = JSON.parse(row.parameters);
      yield withoutNulls({ ...row, parameters, deprecated: row.deprecated === 1 });
    }
  },
  warnings: (_, { name }) => nameWarnings("name", name),
});
