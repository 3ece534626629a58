import * as v from "valibot";
import type { Permission } from "../access/permissions.ts";
import { hiddenProjects } from "../access/visibility.ts";
import { DELETE, GET, type Operation, POST, PUT, stringParams, WithHeaders } from "../http/operation.ts";
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

const ALL = { tag: "Context fields", path: "/api/admin/context" } as const;
const ONE = { tag: "Context fields", path: "/api/admin/context/:contextField" } as const;
const OF_PROJECT = { tag: "Context fields", path: "/api/admin/projects/:projectId/context" } as const;

/** The permission for all context fields, or the one for the project's. */
const inProject = (permission: Permission) =>
  ({ permission: [permission, "UPDATE_PROJECT_CONTEXT"], project: "projectId" }) as const;

type PathOfProject = `${typeof OF_PROJECT.path}/${string}`;

/** Each operation is there twice: for all context fields, and below a project for those of the project. */
function ofProject(
  { id, path, permission, ...operation }: Operation,
  summary = "The same for a context field of a project",
): Operation & { path: PathOfProject } {
  const ownPath = path.replace(ALL.path, OF_PROJECT.path) as PathOfProject;
  return {
    ...operation,
    id: id === "validate" ? "validateContextFieldNameForProject" : `${id}ForProject`,
    summary,
    path: ownPath,
    params: stringParams(ownPath)!,
    permission: permission === null ? { project: "projectId" } : inProject(permission as Permission),
    exampleParams: { contextField: "tier" },
  };
}

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
  ...OF_PROJECT,
  ...READ,
  id: "getContextFieldForProject",
  summary: "A context field that the strategies of a project may use",
  path: `${OF_PROJECT.path}/:contextField`,
  permission: { project: "projectId" },
}).run(({ db, params: { projectId, contextField } }) => requireUsableField(db, contextField, projectId));

export const listStrategiesUsingField = GET({
  ...ONE,
  id: "getStrategiesByContextField",
  summary: "The strategies with a constraint on a context field",
  path: `${ONE.path}/strategies`,
  permission: null,
  response: ContextFieldUses,
}).run(({ db, actor, params: { contextField } }) => ({
  strategies: strategiesUsing(db, "context field", contextField, hiddenProjects(db, actor)),
}));

export const listStrategiesUsingFieldOfProject = ofProject(listStrategiesUsingField);

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
  example: { name: "country", legalValues: [{ value: "DE" }, { value: "FR" }] },
}).change(({ tx, body }) => {
  requirePlace(tx, "CREATE_CONTEXT_FIELD", body);
  return withLocation(createContextField(tx, body));
});

const EXAMPLE = { value: "gold", description: "The best" };

export const createContextFieldOfProject = POST({
  ...OF_PROJECT,
  ...CREATE,
  id: "createContextFieldForProject",
  summary: "Create a context field that only the strategies of a project may use",
  permission: inProject("CREATE_CONTEXT_FIELD"),
  errors: ["NotFoundError", "NameExistsError"],
  example: { name: "tier", legalValues: [EXAMPLE] },
}).change(({ tx, params: { projectId: project }, body }) => {
  requireProject(tx.db, project);
  return withLocation(createContextField(tx, { ...body, project }));
});

/** What all changes of a context field have in common. */
const UPDATE = {
  ...ONE,
  permission: "UPDATE_CONTEXT_FIELD",
  errors: ["NotFoundError"],
  records: ["context-field-updated"],
} as const;

export const updateContextField = PUT({
  ...UPDATE,
  id: "updateContextField",
  summary: "Change a context field",
  body: ContextFieldChange,
  example: { description: "The customer's plan", stickiness: false },
}).change(({ tx, params, body }) => changeContextField(tx, params, body));

export const updateContextFieldOfProject = ofProject(
  updateContextField,
  "Change a context field of a project",
);

export const setLegalValue = POST({
  ...UPDATE,
  id: "updateContextFieldLegalValue",
  summary: "Add a legal value to a context field, or change its description",
  path: `${ONE.path}/legal-values`,
  body: NewLegalValue,
  example: EXAMPLE,
}).change(({ tx, params, body }) => changeLegalValues(tx, params, body.value, [body]));

export const setLegalValueOfProject = ofProject(setLegalValue);

export const deleteLegalValue = DELETE({
  ...UPDATE,
  id: "deleteContextFieldLegalValue",
  summary: "Remove a legal value from a context field, even if constraints use it",
  path: `${ONE.path}/legal-values/:legalValue`,
}).change(({ tx, params }) => changeLegalValues(tx, params, params.legalValue));

export const deleteLegalValueOfProject = ofProject(deleteLegalValue);

export const deleteContextFieldOperation = DELETE({
  ...ONE,
  id: "deleteContextField",
  summary: "Delete a context field that no strategy uses",
  permission: "DELETE_CONTEXT_FIELD",
  errors: ["NotFoundError", "ConflictError"],
  records: ["context-field-deleted"],
}).change(({ tx, params }) => deleteContextField(tx, params));

export const deleteContextFieldOfProject = ofProject(
  deleteContextFieldOperation,
  "Delete a context field of a project that no strategy uses",
);

export const validateContextField = POST({
  ...ALL,
  id: "validate",
  summary: "Check whether a name is free for a context field",
  path: `${ALL.path}/validate`,
  permission: "UPDATE_CONTEXT_FIELD",
  body: ContextFieldName,
  errors: ["NameExistsError"],
  example: { name: "country" },
}).run(({ db, body: { name } }) => requireFreeFieldName(db, name));

export const validateContextFieldOfProject = ofProject(validateContextField);

const withLocation = (field: ContextField) => new WithHeaders(field, { location: `context/${field.name}` });
