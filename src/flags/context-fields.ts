import * as v from "valibot";
import { hiddenProjects } from "../access/visibility.ts";
import { Flag, kind, OptionalText, OptionalTime, Real, withoutNulls } from "../dataset/kind.ts";
import { type Database, snapshot } from "../db/database.ts";
import { command, fromStored, query, type Stored, toStored } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST, PUT, WithHeaders } from "../http/operation.ts";
import { ApiError, found } from "../lib/api-error.ts";
import { PathName, ShortText, Text, Timestamp, UrlName } from "../lib/validation.ts";
import { requireUnused, StrategyUse, strategiesUsing } from "./strategy-uses.ts";

export const LegalValue = v.strictObject({ value: v.string(), description: v.optional(v.string()) });
type LegalValue = v.InferOutput<typeof LegalValue>;

/** A property of the evaluation context. If it has legal values, constraints may use only these. */
export const ContextField = v.strictObject({
  name: v.string(),
  description: v.nullable(v.string()),
  stickiness: v.boolean(),
  sortOrder: v.number(),
  legalValues: v.array(LegalValue),
  createdAt: Timestamp,
});
type ContextField = v.InferOutput<typeof ContextField>;

/** With the number of live flags whose strategies use it, and of their projects. */
export const ListedContextField = v.strictObject({
  ...ContextField.entries,
  usedInProjects: v.number(),
  usedInFeatures: v.number(),
});
type ListedContextField = v.InferOutput<typeof ListedContextField>;

export const ContextFieldUses = v.strictObject({ strategies: v.array(StrategyUse) });

const atMost = (length: number) =>
  v.maxLength<string, number, string>(length, `must have ${length} characters or fewer`);

const NewLegalValue = v.pipe(
  v.object({
    value: v.pipe(Text, v.nonEmpty("must not be empty"), atMost(100)),
    description: v.nullish(v.pipe(Text, atMost(100))),
  }),
  v.transform(
    ({ value, description }): LegalValue => ({
      value,
      ...(typeof description === "string" && { description }),
    }),
  ),
);

/** All except the name. */
const PROPERTIES = {
  description: v.nullish(v.pipe(ShortText, atMost(250))),
  stickiness: v.optional(v.boolean(), false),
  sortOrder: v.optional(v.pipe(v.number(), v.safeInteger())),
  legalValues: v.optional(
    v.pipe(
      v.array(NewLegalValue),
      v.check(
        (list) => new Set(list.map(({ value }) => value)).size === list.length,
        "must not contain a value twice",
      ),
    ),
  ),
};

export const NewContextField = v.object({ name: UrlName, ...PROPERTIES });
type NewContextField = v.InferOutput<typeof NewContextField>;

/** `description` and `sortOrder` are kept if left out; the others are reset (original). */
export const ContextFieldChange = v.object(PROPERTIES);
type ContextFieldChange = v.InferOutput<typeof ContextFieldChange>;

export const ContextFieldName = v.object({ name: UrlName });

const ALL = { tag: "Context fields", path: "/api/admin/context" } as const;
const ONE = { tag: "Context fields", path: "/api/admin/context/:contextField" } as const;

export const listContextFields = GET({
  ...ALL,
  id: "getContextFields",
  summary: "The context fields, and how often they are used",
  permission: null,
  response: v.array(ListedContextField), // a bare list, as in the original
}).run(({ db, actor }) =>
  snapshot(db, () =>
    withUse(db)
      .all({ hidden: JSON.stringify(hiddenProjects(db, actor)) })
      .map((row) => toField(row)),
  ),
);

export const readContextField = GET({
  ...ONE,
  id: "getContextField",
  summary: "A context field",
  permission: null,
  errors: ["NotFoundError"],
  response: ContextField,
}).run(({ db, params: { contextField } }) => requireContextField(db, contextField));

export const listStrategiesUsingField = GET({
  ...ONE,
  id: "getStrategiesByContextField",
  summary: "The strategies with a constraint on a context field",
  path: `${ONE.path}/strategies`,
  permission: null,
  response: ContextFieldUses,
}).run(({ db, actor, params: { contextField } }) =>
  snapshot(db, () => ({
    strategies: strategiesUsing(db, "context field", contextField, hiddenProjects(db, actor)),
  })),
);

export const createContextFieldOperation = POST({
  ...ALL,
  id: "createContextField",
  summary: "Create a context field",
  permission: "CREATE_CONTEXT_FIELD",
  body: NewContextField,
  status: 201,
  errors: ["NameExistsError"],
  records: ["context-field-created"],
  response: ContextField,
}).change(
  ({ tx, body }) => new WithHeaders(createContextField(tx, body), { location: `context/${body.name}` }),
);

export const updateContextField = PUT({
  ...ONE,
  id: "updateContextField",
  summary: "Change a context field",
  permission: "UPDATE_CONTEXT_FIELD",
  body: ContextFieldChange,
  errors: ["NotFoundError"],
  records: ["context-field-updated"],
}).change(({ tx, params: { contextField: name }, body }) => {
  const { createdAt: _, sortOrder: orderBefore, ...preData } = requireContextField(tx.db, name);
  const { description = preData.description, sortOrder = orderBefore, legalValues = [] } = body;
  update(tx).run(toStored({ ...body, name, description, sortOrder, legalValues }));
  tx.record({ type: "context-field-updated", data: toData(name, body), preData });
});

export const deleteContextField = DELETE({
  ...ONE,
  id: "deleteContextField",
  summary: "Delete a context field that no strategy uses",
  permission: "DELETE_CONTEXT_FIELD",
  errors: ["NotFoundError", "ConflictError"],
  records: ["context-field-deleted"],
}).change(({ tx, actor, params: { contextField: name } }) => {
  const preData = requireContextField(tx.db, name);
  requireUnused(tx.db, actor, "context field", name, name);
  remove(tx).run({ name });
  tx.record({ type: "context-field-deleted", preData });
});

export const validateContextField = POST({
  ...ALL,
  id: "validate",
  summary: "Check whether a name is free for a context field",
  path: `${ALL.path}/validate`,
  permission: "UPDATE_CONTEXT_FIELD",
  body: ContextFieldName,
  errors: ["NameExistsError"],
}).run(({ db, body: { name } }) => {
  if (byName(db).get({ name }))
    throw new ApiError("NameExistsError", `body.name: there is already a context field ${name}`);
});

type Row = Stored<ContextField>;

const COLUMNS = `context_fields.name, context_fields.description, stickiness, context_fields.sort_order AS sortOrder,
    legal_values AS legalValues, context_fields.created_at AS createdAt`;

const inOrder = query<object, Row>(`SELECT ${COLUMNS} FROM context_fields ORDER BY name`);

const byName = query<{ name: string }, Row>(`SELECT ${COLUMNS} FROM context_fields WHERE name = :name`);

const withUse = query<{ hidden: string }, Stored<ListedContextField>>(`
  SELECT ${COLUMNS},
    count(DISTINCT features.project) AS usedInProjects, count(DISTINCT features.name) AS usedInFeatures
  FROM context_fields
  LEFT JOIN strategy_context_fields ON context_field = context_fields.name
  LEFT JOIN strategies ON strategies.id = strategy
  LEFT JOIN features ON features.name = strategies.feature AND features.archived_at IS NULL
    AND features.project NOT IN (SELECT value FROM json_each(:hidden))
  GROUP BY context_fields.name ORDER BY context_fields.name`);

const insert = command<Row>(`
  INSERT INTO context_fields (name, description, stickiness, sort_order, legal_values, created_at)
  VALUES (:name, :description, :stickiness, :sortOrder, :legalValues, :createdAt)`);

const update = command<Omit<Row, "createdAt">>(`
  UPDATE context_fields SET description = :description, stickiness = :stickiness, sort_order = :sortOrder,
    legal_values = :legalValues
  WHERE name = :name`);

const remove = command<{ name: string }>(`DELETE FROM context_fields WHERE name = :name`);

/** The context field with this name; undefined if there is none. */
export function findContextField(db: Database, name: string): ContextField | undefined {
  const row = byName(db).get({ name });
  return row && toField(row);
}

/** @throws ApiError `NotFoundError` unless there is a context field with this name */
export const requireContextField = (db: Database, name: string): ContextField =>
  found(findContextField(db, name), `context field ${name}`);

const toField = fromStored(ContextField);

/** After the built-in ones. */
const SORT_ORDER = 10;

/** Creates a context field; an SQLite constraint error if the name is taken. */
export function createContextField(tx: Tx, field: NewContextField): ContextField {
  const { name, description = null, sortOrder = SORT_ORDER, legalValues = [] } = field;
  insert(tx).run(toStored({ ...field, description, sortOrder, legalValues, createdAt: tx.now }));
  tx.record({ type: "context-field-created", data: toData(name, field) });
  return requireContextField(tx.db, name);
}

/** The context field in events: as in the request, without the sort order (original). */
const toData = (name: string, { sortOrder: _, ...field }: ContextFieldChange) => ({ name, ...field });

export const contextField = kind({
  name: "contextField",
  schema: v.strictObject({
    name: PathName,
    description: OptionalText,
    stickiness: Flag(false),
    sortOrder: v.optional(Real, SORT_ORDER),
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
  }),
  insert: ({ tx, now }, line) => insert(tx).run(toStored({ ...line, createdAt: line.createdAt ?? now })),
  rows: (db) => inOrder(db).iterate({}),
});
