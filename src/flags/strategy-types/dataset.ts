import * as v from "valibot";
import { bit, Flag, kind, LineError, nameWarnings, OptionalText, withoutNulls } from "../../dataset/kind.ts";
import { changedRows } from "../../db/new-file.ts";
import { type Database, query } from "../../db/statement.ts";
import { PathName } from "../../lib/validation.ts";
import { insertStrategyType, type StrategyTypeRow, setDeprecated } from "./changes.ts";
import { StrategyParameter } from "./schema.ts";

const custom = query<object, StrategyTypeRow>(`
  SELECT name, title, description, parameters, deprecated FROM strategy_types WHERE editable ORDER BY name`);

const builtIn = query<object, Pick<StrategyTypeRow, "name" | "deprecated">>(`
  SELECT name, deprecated FROM strategy_types WHERE NOT editable ORDER BY name`);

const builtInTypes = (db: Database) => builtIn(db).all({});

export const strategyType = kind({
  name: "strategyType",
  schema: v.strictObject({
    name: PathName,
    title: OptionalText,
    description: OptionalText,
    parameters: v.optional(v.array(StrategyParameter), []),
    deprecated: Flag(false),
  }),
  insert({ tx, db }, line) {
    const { name, parameters } = line;
    const deprecated = bit(line.deprecated);
    if (!builtInTypes(db).some((type) => type.name === name))
      return void insertStrategyType(tx).run({
        ...line,
        parameters: JSON.stringify(parameters),
        deprecated,
      });
    if (line.title !== null || line.description !== null || parameters.length > 0)
      throw new LineError(`name: ${name} is built in: only deprecated can be given`);
    setDeprecated(tx).run({ name, deprecated });
  },
  *rows(db) {
    for (const { name, deprecated } of changedRows(db, builtInTypes))
      yield { name, deprecated: deprecated === 1 };
    for (const row of custom(db).iterate({})) {
      const parameters = JSON.parse(row.parameters);
      yield withoutNulls({ ...row, parameters, deprecated: row.deprecated === 1 });
    }
  },
  warnings: (_, { name }) => nameWarnings("name", name),
});
