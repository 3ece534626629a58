import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import type { Permission } from "../access/permissions.ts";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { DELETE, GET, POST, PUT, WithHeaders } from "../http/operation.ts";
import { requireProject } from "../projects/projects-store.ts";
import {
  ContextField,
  ContextFieldChange,
  ContextFieldName,
  ContextFieldQuery,
  changeContextField,
  changeLegalValues,
  contextFields,
  createContextField,
  deleteContextField,
  ListedContextField,
  NewContextField,
  NewLegalValue,
  requireContextField,
  requireFreeFieldName,
  requirePlace,
  requireUsableField,
} from "./context-fields.ts";
import { StrategyUse, strategiesUsing } from "./strategy-uses.ts";

export const ContextFieldUses = v.strictObject({ strategies: v.array(StrategyUse) });

/*
 * Each operation is there twice: for all context fields, and below a project for those of the project.
 */

const TAG = { tag: "Context fields" } as const;
const ALL = { ...TAG, path: "/api/admin/context" } as const;
const ONE = { ...TAG, path: "/api/admin/context/:contextField" } as const;
const OF_PROJECT = { ...TAG, path: "/api/admin/projects/:projectId/context" } as const;
const ONE_OF_PROJECT = { ...TAG, path: "/api/admin/projects/:projectId/context/:contextField" } as const;

/** The permission for all context fields, or the one for the project's. */
const inProject = <P extends Permission>(permission: P) =>
  ({ permission: [permission, "UPDATE_PROJECT_CONTEXT"], project: "projectId" }) as const;

const LIST = { query: ContextFieldQuery, response: v.array(ListedContextField) } as const; // bare, as in the original

export const listContextFields = GET({
  ...ALL,
  ...LIST,
  id: "getContextFields",
  summary: "The context fields of no project, and how often they are used; with `include=project`, all",
  permission: null,
}).run(({ db, actor, query: { include } }) => contextFields(db, actor, include));

export const listContextFieldsOfProject = GET({
  ...OF_PROJECT,
  ...LIST,
  id: "getContextFieldsForProject",
  summary: "The context fields of a project; with `include=root`, also those of no project",
  permission: { project: "projectId" },
}).run(({ db, actor, params, query: { include } }) => contextFields(db, actor, include, params.projectId));

const READ = { errors: ["NotFoundError"], response: ContextField } as const;

export const readContextField = GET({
  ...ONE,
  ...READ,
  id: "getContextField",
  summary: "A context field",
  permission: null,
}).run(({ db, actor, params }) => requireContextField(db, actor, params));

export const readContextFieldOfProject = GET({
  ...ONE_OF_PROJECT,
  ...READ,
  id: "getContextFieldForProject",
  summary: "A context field that the strategies of a project may use",
  permission: { project: "projectId" },
}).run(({ db, params: { projectId, contextField } }) => requireUsableField(db, contextField, projectId));

export const listStrategiesUsingField = GET({
  ...ONE,
  id: "getStrategiesByContextField",
  summary: "The strategies with a constraint on a context field",
  path: `${ONE.path}/strategies`,
  permission: null,
  response: ContextFieldUses,
}).run(usesOf);

export const listStrategiesUsingFieldOfProject = GET({
  ...ONE_OF_PROJECT,
  id: "getStrategiesByContextFieldForProject",
  summary: "The same for a context field of a project",
  path: `${ONE_OF_PROJECT.path}/strategies`,
  permission: { project: "projectId" },
  response: ContextFieldUses,
}).run(usesOf);

const CREATE = {
  body: NewContextField,
  status: 201,
  records: ["context-field-created"],
  response: ContextField,
} as const;

export const createContextFieldOperation = POST({
  ...ALL,
  ...CREATE,
  id: "createContextField",
  summary: "Create a context field",
  permission: "CREATE_CONTEXT_FIELD",
  errors: ["NameExistsError"],
}).change(({ tx, body }) => {
  requirePlace(tx, "CREATE_CONTEXT_FIELD", body);
  return withLocation(createContextField(tx, body));
});

export const createContextFieldOfProject = POST({
  ...OF_PROJECT,
  ...CREATE,
  id: "createContextFieldForProject",
  summary: "Create a context field that only the strategies of a project may use",
  permission: inProject("CREATE_CONTEXT_FIELD"),
  errors: ["NotFoundError", "NameExistsError"],
}).change(({ tx, params: { projectId: project }, body }) => {
  requireProject(tx.db, project);
  return withLocation(createContextField(tx, { ...body, project }));
});

const UPDATE = {
  body: ContextFieldChange,
  errors: ["NotFoundError"],
  records: ["context-field-updated"],
} as const;

export const updateContextField = PUT({
  ...ONE,
  ...UPDATE,
  id: "updateContextField",
  summary: "Change a context field",
  permission: "UPDATE_CONTEXT_FIELD",
}).change(({ tx, params, body }) => changeContextField(tx, params, body));

export const updateContextFieldOfProject = PUT({
  ...ONE_OF_PROJECT,
  ...UPDATE,
  id: "updateContextFieldForProject",
  summary: "Change a context field of a project",
  permission: inProject("UPDATE_CONTEXT_FIELD"),
}).change(({ tx, params, body }) => changeContextField(tx, params, body));

const SET_VALUE = { ...UPDATE, body: NewLegalValue } as const;

export const setLegalValue = POST({
  ...ONE,
  ...SET_VALUE,
  id: "updateContextFieldLegalValue",
  summary: "Add a legal value to a context field, or change its description",
  path: `${ONE.path}/legal-values`,
  permission: "UPDATE_CONTEXT_FIELD",
}).change(({ tx, params, body }) => changeLegalValues(tx, params, body.value, [body]));

export const setLegalValueOfProject = POST({
  ...ONE_OF_PROJECT,
  ...SET_VALUE,
  id: "updateContextFieldLegalValueForProject",
  summary: "The same for a context field of a project",
  path: `${ONE_OF_PROJECT.path}/legal-values`,
  permission: inProject("UPDATE_CONTEXT_FIELD"),
}).change(({ tx, params, body }) => changeLegalValues(tx, params, body.value, [body]));

const { body: _, ...REMOVE_VALUE } = UPDATE;

export const deleteLegalValue = DELETE({
  ...ONE,
  ...REMOVE_VALUE,
  id: "deleteContextFieldLegalValue",
  summary: "Remove a legal value from a context field, even if constraints use it",
  path: `${ONE.path}/legal-values/:legalValue`,
  permission: "UPDATE_CONTEXT_FIELD",
}).change(({ tx, params }) => changeLegalValues(tx, params, params.legalValue));

export const deleteLegalValueOfProject = DELETE({
  ...ONE_OF_PROJECT,
  ...REMOVE_VALUE,
  id: "deleteContextFieldLegalValueForProject",
  summary: "The same for a context field of a project",
  path: `${ONE_OF_PROJECT.path}/legal-values/:legalValue`,
  permission: inProject("UPDATE_CONTEXT_FIELD"),
}).change(({ tx, params }) => changeLegalValues(tx, params, params.legalValue));

const REMOVE = {
  errors: ["NotFoundError", "ConflictError"],
  records: ["context-field-deleted"],
} as const;

export const deleteContextFieldOperation = DELETE({
  ...ONE,
  ...REMOVE,
  id: "deleteContextField",
  summary: "Delete a context field that no strategy uses",
  permission: "DELETE_CONTEXT_FIELD",
}).change(({ tx, params }) => deleteContextField(tx, params));

export const deleteContextFieldOfProject = DELETE({
  ...ONE_OF_PROJECT,
  ...REMOVE,
  id: "deleteContextFieldForProject",
  summary: "Delete a context field of a project that no strategy uses",
  permission: inProject("DELETE_CONTEXT_FIELD"),
}).change(({ tx, params }) => deleteContextField(tx, params));

const CHECK_NAME = { body: ContextFieldName, errors: ["NameExistsError"] } as const;

export const validateContextField = POST({
  ...ALL,
  ...CHECK_NAME,
  id: "validate",
  summary: "Check whether a name is free for a context field",
  path: `${ALL.path}/validate`,
  permission: "UPDATE_CONTEXT_FIELD",
}).run(({ db, body: { name } }) => requireFreeFieldName(db, name));

export const validateContextFieldOfProject = POST({
  ...OF_PROJECT,
  ...CHECK_NAME,
  id: "validateContextFieldNameForProject",
  summary: "The same for a context field of a project",
  path: `${OF_PROJECT.path}/validate`,
  permission: inProject("UPDATE_CONTEXT_FIELD"),
}).run(({ db, body: { name } }) => requireFreeFieldName(db, name));

interface Uses {
  db: Database;
  actor: Actor;
  params: { contextField: string };
}

function usesOf({ db, actor, params: { contextField } }: Uses) {
  return { strategies: strategiesUsing(db, "context field", contextField, hiddenProjects(db, actor)) };
}

const withLocation = (field: ContextField) => new WithHeaders(field, { location: `context/${field.name}` });
