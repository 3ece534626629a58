import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import type { Permission } from "../access/permissions.ts";
import { requirePermission } from "../access/require-permission.ts";
import { firstPrivate, hiddenProjects } from "../access/visibility.ts";
import {
  Flag,
  kind,
  Name,
  OptionalText,
  OptionalTime,
  optional,
  Real,
  withoutNulls,
} from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { command, fromStored, query, type Stored, toStored } from "../db/statement.ts";
import type { EventType } from "../events/schema.ts";
import type { Tx } from "../events/write.ts";
import { ApiError, found } from "../lib/api-error.ts";
import { NonEmptyText, PathName, ShortText, Text, Timestamp, UrlName } from "../lib/validation.ts";
import { requireProjectOfBody } from "../projects/projects-store.ts";
import { requireUnused, requireUsedOnlyIn } from "./strategy-uses.ts";

export const LegalValue = v.strictObject({ value: v.string(), description: v.optional(v.string()) });
type LegalValue = v.InferOutput<typeof LegalValue>;

/**
 * A property of the evaluation context. If it has legal values, constraints may use only these; if it has a project, only
 * the strategies of that project may use it.
 */
export const ContextField = v.strictObject({
  name: v.string(),
  description: v.nullable(v.string()),
  stickiness: v.boolean(),
  sortOrder: v.number(),
  legalValues: v.array(LegalValue),
  createdAt: Timestamp,
  project: v.optional(v.string()),
});
export type ContextField = v.InferOutput<typeof ContextField>;

/** With the number of live flags whose strategies use it, and of their projects. */
export const ListedContextField = v.strictObject({
  ...ContextField.entries,
  usedInProjects: v.number(),
  usedInFeatures: v.number(),
});

const atMost = (length: number) =>
  v.maxLength<string, number, string>(length, `must have ${length} characters or fewer`);

export const NewLegalValue = v.pipe(
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
  project: v.optional(NonEmptyText),
};

export const NewContextField = v.object({ name: UrlName, ...PROPERTIES });
type NewContextField = v.InferOutput<typeof NewContextField>;

/** `description`, `sortOrder` and `project` are kept if left out; the others are reset (original). */
export const ContextFieldChange = v.object(PROPERTIES);
type ContextFieldChange = v.InferOutput<typeof ContextFieldChange>;

export const ContextFieldName = v.object({ name: UrlName });

/** `project` adds the fields of all projects to those of none, `root` those of none to a project's; others add nothing. */
export const ContextFieldQuery = v.object({ include: v.optional(v.string()) });

type Row = Stored<Omit<ContextField, "project">> & { project: string | null };

const COLUMNS = `context_fields.name, context_fields.description, stickiness, context_fields.sort_order AS sortOrder,
    legal_values AS legalValues, context_fields.created_at AS createdAt, context_fields.project`;

const inOrder = query<object, Row>(`SELECT ${COLUMNS} FROM context_fields ORDER BY name`);

const byName = query<{ name: string }, Row>(`SELECT ${COLUMNS} FROM context_fields WHERE name = :name`);

const ofProject = query<{ project: string }, Row>(`
  SELECT ${COLUMNS} FROM context_fields WHERE project = :project ORDER BY name`);

const withUse = query<
  { hidden: string; withGeneral: 0 | 1; withProjects: 0 | 1; project: string | null },
  Row & { usedInProjects: number; usedInFeatures: number }
>(`
  SELECT ${COLUMNS},
    count(DISTINCT features.project) AS usedInProjects, count(DISTINCT features.name) AS usedInFeatures
  FROM context_fields
  LEFT JOIN strategy_context_fields ON context_field = context_fields.name
  LEFT JOIN strategies ON strategies.id = strategy
  LEFT JOIN features ON features.name = strategies.feature AND features.archived_at IS NULL
    AND features.project NOT IN (SELECT value FROM json_each(:hidden))
  WHERE iif(context_fields.project IS NULL, :withGeneral, context_fields.project = :project
    OR (:withProjects AND context_fields.project NOT IN (SELECT value FROM json_each(:hidden))))
  GROUP BY context_fields.name ORDER BY context_fields.name`);

const insert = command<Row>(`
  INSERT INTO context_fields (name, description, stickiness, sort_order, legal_values, created_at, project)
  VALUES (:name, :description, :stickiness, :sortOrder, :legalValues, :createdAt, :project)`);

const update = command<Omit<Row, "createdAt">>(`
  UPDATE context_fields SET description = :description, stickiness = :stickiness, sort_order = :sortOrder,
    legal_values = :legalValues, project = :project
  WHERE name = :name`);

const remove = command<{ name: string }>(`DELETE FROM context_fields WHERE name = :name`);

const fromRow = fromStored(ContextField);

/** A field on the wire, which names its project only if it has one. */
export const toField = <R extends Pick<Row, "project">>(row: R) => {
  const { project, ...field } = fromRow(row);
  return { ...field, ...(project !== null && { project }) };
};

/** The fields of a project, or of none, by name, with those that `include` adds in any letter case (original). */
export function contextFields(db: Database, actor: Actor, include = "", project: string | null = null) {
  const bind = {
    hidden: hiddenProjects(db, actor),
    withGeneral: project === null || include.toLowerCase() === "root",
    withProjects: project === null && include.toLowerCase() === "project",
    project,
  };
  return withUse(db).all(toStored(bind)).map(toField);
}

const findContextField = (db: Database, name: string): ContextField | undefined => {
  const row = byName(db).get({ name });
  return row && toField(row);
};

/** The context field with this name, if strategies of the project may use it. */
export function findUsableField(db: Database, name: string, project: string): ContextField | undefined {
  const field = findContextField(db, name);
  return (field?.project ?? project) === project ? field : undefined;
}

/** @throws ApiError `NotFoundError` unless strategies of the project may use a context field with this name */
export const requireUsableField = (db: Database, name: string, project: string) =>
  found(findUsableField(db, name, project), `context field ${name}`);

/** The parameters of a path to a field: it belongs to the project; without one, it is any that the actor may see. */
interface FieldPath {
  contextField: string;
  projectId?: string;
}

/** @throws ApiError `NotFoundError` */
export function requireContextField(db: Database, actor: Actor, { contextField, projectId }: FieldPath) {
  const field = findContextField(db, contextField);
  const name = `context field ${contextField}`;
  if (projectId !== undefined)
    return found(field?.project === projectId ? field : undefined, `${name} in the project ${projectId}`);
  const isHidden = hiddenProjects(db, actor).includes(field?.project ?? "");
  return found(isHidden ? undefined : field, name);
}

/** @throws ApiError `NameExistsError` */
export function requireFreeFieldName(db: Database, name: string) {
  if (isKnown(db, "contextField", name))
    throw new ApiError("NameExistsError", `body.name: there is already a context field ${name}`);
}

/** Checks that there is a project that the body names, and that the actor may put a field there. */
export function requirePlace(tx: Tx, permission: Permission, { project }: ContextFieldChange) {
  if (project === undefined) return;
  const permissions = [permission, "UPDATE_PROJECT_CONTEXT"] as const;
  requirePermission(tx.db, tx.actor, { permissions, project });
  requireProjectOfBody(tx.db, project);
}

/** After the built-in ones. */
const SORT_ORDER = 10;

/** Creates a context field; an SQLite constraint error if the name is taken. */
export function createContextField(tx: Tx, field: NewContextField): ContextField {
  const { name, description = null, sortOrder = SORT_ORDER, legalValues = [], project = null } = field;
  insert(tx).run(toStored({ ...field, description, sortOrder, legalValues, project, createdAt: tx.now }));
  record(tx, "context-field-created", { data: toData(name, field) });
  return findContextField(tx.db, name)!;
}

export function changeContextField(tx: Tx, path: FieldPath, body: ContextFieldChange) {
  const before = requireContextField(tx.db, tx.actor, path);
  const { createdAt: _, sortOrder: orderBefore, ...preData } = before;
  const { name, description: descriptionBefore, project: projectBefore } = before;
  const { description = descriptionBefore, sortOrder = orderBefore, legalValues = [] } = body;
  const { project = projectBefore ?? null } = body;
  requirePlace(tx, "UPDATE_CONTEXT_FIELD", body);
  if (project !== projectBefore) requireUsedOnlyIn(tx.db, "context field", name, project);
  update(tx).run(toStored({ ...body, name, description, sortOrder, legalValues, project }));
  record(tx, "context-field-updated", { data: toData(name, body), preData });
}

/** Puts others in the place of a legal value, or at the end if there is no such value. */
export function changeLegalValues(tx: Tx, path: FieldPath, value: string, others: LegalValue[] = []) {
  const preData = requireContextField(tx.db, tx.actor, path);
  const values = preData.legalValues;
  const index = values.findIndex((legal) => legal.value === value);
  const data = { ...preData, legalValues: values.toSpliced(index < 0 ? values.length : index, 1, ...others) };
  update(tx).run(toStored({ ...data, project: data.project ?? null }));
  record(tx, "context-field-updated", { data, preData });
}

/** Deletes a context field that no strategy uses. */
export function deleteContextField(tx: Tx, path: FieldPath) {
  const field = requireContextField(tx.db, tx.actor, path);
  requireUnused(tx.db, tx.actor, "context field", field.name, field.name);
  deleteField(tx, field);
}

/** Deletes all context fields that belong to a project. */
export function deleteContextFieldsOf(tx: Tx, project: string) {
  for (const row of ofProject(tx.db).all({ project })) deleteField(tx, toField(row));
}

function deleteField(tx: Tx, field: ContextField) {
  remove(tx).run({ name: field.name });
  record(tx, "context-field-deleted", { preData: field });
}

/** Records a change of a field; the event has only a private project (original: none). */
function record(
  tx: Tx,
  type: EventType,
  about: Partial<Record<"data" | "preData", { project?: string | undefined }>>,
) {
  const { data, preData } = about;
  const projects = [data?.project, preData?.project].filter((project) => project !== undefined);
  tx.record({ type, project: firstPrivate(tx.db, projects), ...about });
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
    project: optional(Name),
  }),
  refers: { project: "project" },
  insert: ({ tx, now }, line) => insert(tx).run(toStored({ ...line, createdAt: line.createdAt ?? now })),
  rows: (db) => inOrder(db).iterate({}),
});
