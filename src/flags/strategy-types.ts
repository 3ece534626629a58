import * as v from "valibot";
import { Flag, kind, LineError, nameWarnings, OptionalText, withoutNulls } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { changedRows, inNewFile } from "../db/open.ts";
import { command, fromStored, query, type Stored, toStored } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST, PUT, WithHeaders } from "../http/operation.ts";
import { ApiError, found } from "../lib/api-error.ts";
import { NonEmptyText, PathName, ShortText, UrlName } from "../lib/validation.ts";

/** A parameter of a strategy type; unset properties are absent. */
export const StrategyParameter = v.strictObject({
  name: v.string(),
  type: v.picklist(["string", "percentage", "list", "number", "boolean"]),
  description: v.nullish(v.string()),
  required: v.optional(v.boolean()),
});

/** A type of strategy; those that are not editable are built in. */
export const StrategyType = v.strictObject({
  displayName: v.nullable(v.string()),
  name: v.string(),
  editable: v.boolean(),
  description: v.nullable(v.string()),
  parameters: v.array(StrategyParameter),
  deprecated: v.boolean(),
  title: v.nullable(v.string()),
});
type StrategyType = v.InferOutput<typeof StrategyType>;

export const StrategyTypes = v.strictObject({ version: v.literal(1), strategies: v.array(StrategyType) });

/** The body that changes a strategy type; without a title or description, the old one stays. */
export const UpdateStrategyType = v.object({
  title: v.nullish(ShortText),
  description: v.nullish(ShortText),
  parameters: v.array(
    v.object({
      name: NonEmptyText,
      type: StrategyParameter.entries.type,
      description: v.nullish(ShortText),
      required: v.optional(v.boolean()),
    }),
  ),
});

/** The body that creates a strategy type. */
export const NewStrategyType = v.object({ ...UpdateStrategyType.entries, name: UrlName });

const ALL = { tag: "Strategies", path: "/api/admin/strategies" } as const;
const ONE = {
  tag: "Strategies",
  path: "/api/admin/strategies/:name",
  exampleParams: { name: "geo" },
} as const;

export const listStrategyTypes = GET({
  ...ALL,
  id: "getAllStrategies",
  summary: "The strategy types",
  permission: null,
  response: StrategyTypes,
}).run(({ db }) => ({ version: 1, strategies: builtInFirst(db).all({}).map(toStrategyType) }));

export const createStrategyType = POST({
  ...ALL,
  id: "createStrategy",
  summary: "Create a strategy type",
  permission: "CREATE_STRATEGY",
  body: NewStrategyType,
  status: 201,
  errors: ["NameExistsError"],
  records: ["strategy-created"],
  response: StrategyType,
  example: { name: "weekdays", parameters: [{ name: "days", type: "list" }] },
}).change(({ tx, body: { name, title = null, description = null, parameters } }) => {
  insert(tx).run(toStored({ name, title, description, parameters, deprecated: false }));
  const created = requireStrategyType(tx.db, name);
  tx.record({ type: "strategy-created", data: toData(created) });
  return new WithHeaders(created, { location: `strategies/${name}` });
});

export const readStrategyType = GET({
  ...ONE,
  id: "getStrategy",
  summary: "A strategy type",
  permission: null,
  errors: ["NotFoundError"],
  response: StrategyType,
}).run(({ db, params: { name } }) => requireStrategyType(db, name));

export const updateStrategyType = PUT({
  ...ONE,
  id: "updateStrategy",
  summary: "Change a strategy type that is not built in",
  permission: "UPDATE_STRATEGY",
  body: UpdateStrategyType,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["strategy-updated"],
  example: { description: "By country", parameters: [] },
}).change(({ tx, params: { name }, body }) => {
  const before = requireCustomStrategyType(tx.db, name);
  const { title = before.title, description = before.description } = body;
  update(tx).run(toStored({ ...body, name, title, description }));
  tx.record({ type: "strategy-updated", data: toData(requireStrategyType(tx.db, name)) });
});

export const deleteStrategyType = DELETE({
  ...ONE,
  id: "removeStrategy",
  summary: "Delete a strategy type that is not built in; strategies of it stay",
  permission: "DELETE_STRATEGY",
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["strategy-deleted"],
}).change(({ tx, params: { name } }) => {
  requireCustomStrategyType(tx.db, name);
  remove(tx).run({ name });
  tx.record({ type: "strategy-deleted", data: { name } });
});

/** What deprecating a strategy type and undoing it have in common. */
const deprecating = { tag: "Strategies", permission: "UPDATE_STRATEGY", errors: ["NotFoundError"] } as const;

export const deprecateStrategyType = POST({
  ...deprecating,
  id: "deprecateStrategy",
  summary: "Deprecate a strategy type",
  path: "/api/admin/strategies/:strategyName/deprecate",
  records: ["strategy-deprecated"],
}).change(({ tx, params: { strategyName } }) => deprecate(tx, strategyName, true));

export const reactivateStrategyType = POST({
  ...deprecating,
  id: "reactivateStrategy",
  summary: "Undo deprecating a strategy type",
  path: "/api/admin/strategies/:strategyName/reactivate",
  records: ["strategy-reactivated"],
}).change(({ tx, params: { strategyName } }) => deprecate(tx, strategyName, false));

/** Deprecates a strategy type, or undoes it; records an event even if nothing changes (original). */
function deprecate(tx: Tx, name: string, deprecated: boolean) {
  requireStrategyType(tx.db, name);
  setDeprecated(tx).run(toStored({ name, deprecated }));
  tx.record({ type: deprecated ? "strategy-deprecated" : "strategy-reactivated", data: { name } });
}

type Row = Stored<StrategyType>;

const COLUMNS = `display_name AS displayName, name, editable, description, parameters, deprecated, title`;

const builtInFirst = query<object, Row>(`SELECT ${COLUMNS} FROM strategy_types ORDER BY sort_order, name`);

const byName = query<{ name: string }, Row>(`SELECT ${COLUMNS} FROM strategy_types WHERE name = :name`);

const insert = command<Omit<Row, "displayName" | "editable">>(`
  INSERT INTO strategy_types (name, title, description, parameters, deprecated)
  VALUES (:name, :title, :description, :parameters, :deprecated)`);

const update = command<Pick<Row, "name" | "title" | "description" | "parameters">>(`
  UPDATE strategy_types SET title = :title, description = :description, parameters = :parameters
  WHERE name = :name`);

const setDeprecated = command<Pick<Row, "name" | "deprecated">>(`
  UPDATE strategy_types SET deprecated = :deprecated WHERE name = :name`);

const remove = command<{ name: string }>(`DELETE FROM strategy_types WHERE name = :name`);

/** The strategy type with this name; undefined if there is none. */
export function findStrategyType(db: Database, name: string): StrategyType | undefined {
  const row = byName(db).get({ name });
  return row && toStrategyType(row);
}

const toStrategyType = fromStored(StrategyType);

const requireStrategyType = (db: Database, name: string) =>
  found(findStrategyType(db, name), `strategy type ${name}`);

/** @throws ApiError `NotFoundError`, or `InvalidOperationError` if it is built in */
function requireCustomStrategyType(db: Database, name: string): StrategyType {
  const type = requireStrategyType(db, name);
  if (type.editable) return type;
  throw new ApiError("InvalidOperationError", `The strategy type ${name} is built in and can't be changed`);
}

/** The strategy type in events; unset properties are absent (original). */
const toData = ({ name, title, description, parameters, editable, deprecated }: StrategyType) =>
  withoutNulls({ name, title, description, parameters, editable, deprecated });

const custom = query<object, Omit<Row, "displayName" | "editable">>(`
  SELECT name, title, description, parameters, deprecated FROM strategy_types WHERE editable ORDER BY name`);

const builtIn = query<object, Pick<Row, "name" | "deprecated">>(`
  SELECT name, deprecated FROM strategy_types WHERE NOT editable ORDER BY name`);

const builtInTypes = (db: Database) => builtIn(db).all({});

const removeCustom = command<object>(`DELETE FROM strategy_types WHERE editable`);

export const isBuiltInStrategyType = (db: Database, name: string) =>
  findStrategyType(db, name)?.editable === false;

/** Every file has the same built-in types; their lines say only whether they are deprecated. */
export const strategyType = kind({
  name: "strategyType",
  schema: v.strictObject({
    name: PathName,
    title: OptionalText,
    description: OptionalText,
    parameters: v.optional(v.array(StrategyParameter), []),
    deprecated: Flag(false),
  }),
  clear(tx) {
    removeCustom(tx).run({});
    for (const type of inNewFile(builtInTypes)) setDeprecated(tx).run(type);
  },
  insert({ tx, db }, line) {
    const { name, title, description, parameters } = line;
    if (!isBuiltInStrategyType(db, name)) return insert(tx).run(toStored(line));
    if (title !== null || description !== null || parameters.length > 0)
      throw new LineError(`name: ${name} is built in: only deprecated can be given`);
    return setDeprecated(tx).run(toStored(line));
  },
  *rows(db) {
    yield* changedRows(db, builtInTypes);
    yield* custom(db).iterate({});
  },
  warnings: (_, { name }) => nameWarnings("name", name),
});
