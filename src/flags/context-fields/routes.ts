import * as v from "valibot";
import { hiddenProjects } from "../../access/visibility.ts";
import { snapshot } from "../../db/snapshot.ts";
import { NoBody, operation, WithHeaders } from "../../http/operation.ts";
import * as changes from "./changes.ts";
import { requireContextField, requireFreeName, requireUnused } from "./require.ts";
import {
  ContextField,
  ContextFieldChange,
  ContextFieldName,
  ContextFieldUses,
  ListedContextField,
  NewContextField,
} from "./schema.ts";
import { contextFields, strategiesUsing } from "./store.ts";

const TAG = "Context fields";
const Params = v.object({ contextField: v.string() });

export const listContextFields = operation({
  id: "getContextFields",
  summary: "The context fields, and how often they are used",
  tag: TAG,
  method: "GET",
  path: "/api/admin/context",
  permission: null,
  response: v.array(ListedContextField), // a bare list, as in the original
}).run(({ db, actor }) => snapshot(db, () => contextFields(db, hiddenProjects(db, actor))));

export const readContextField = operation({
  id: "getContextField",
  summary: "A context field",
  tag: TAG,
  method: "GET",
  path: "/api/admin/context/:contextField",
  permission: null,
  params: Params,
  errors: ["NotFoundError"],
  response: ContextField,
}).run(({ db, params: { contextField } }) => requireContextField(db, contextField));

export const listStrategiesUsing = operation({
  id: "getStrategiesByContextField",
  summary: "The strategies with a constraint on a context field",
  tag: TAG,
  method: "GET",
  path: "/api/admin/context/:contextField/strategies",
  permission: null,
  params: Params,
  response: ContextFieldUses,
}).run(({ db, actor, params: { contextField } }) =>
  snapshot(db, () => ({ strategies: strategiesUsing(db, contextField, hiddenProjects(db, actor)) })),
);

export const createContextField = operation({
  id: "createContextField",
  summary: "Create a context field",
  tag: TAG,
  method: "POST",
  path: "/api/admin/context",
  permission: "CREATE_CONTEXT_FIELD",
  body: NewContextField,
  status: 201,
  errors: ["NameExistsError"],
  records: ["context-field-created"],
  response: ContextField,
}).change(
  ({ tx, body }) =>
    new WithHeaders(changes.createContextField(tx, body), { location: `context/${body.name}` }),
);

export const updateContextField = operation({
  id: "updateContextField",
  summary: "Change a context field",
  tag: TAG,
  method: "PUT",
  path: "/api/admin/context/:contextField",
  permission: "UPDATE_CONTEXT_FIELD",
  params: Params,
  body: ContextFieldChange,
  errors: ["NotFoundError"],
  records: ["context-field-updated"],
  response: NoBody,
}).change(({ tx, params: { contextField }, body }) =>
  changes.updateContextField(tx, requireContextField(tx.db, contextField), body),
);

export const deleteContextField = operation({
  id: "deleteContextField",
  summary: "Delete a context field that no strategy uses",
  tag: TAG,
  method: "DELETE",
  path: "/api/admin/context/:contextField",
  permission: "DELETE_CONTEXT_FIELD",
  params: Params,
  errors: ["NotFoundError", "ConflictError"],
  records: ["context-field-deleted"],
  response: NoBody,
}).change(({ tx, actor, params: { contextField } }) => {
  const field = requireContextField(tx.db, contextField);
  requireUnused(tx.db, actor, field);
  changes.deleteContextField(tx, field);
});

export const validateContextField = operation({
  id: "validate",
  summary: "Check whether a name is free for a context field",
  tag: TAG,
  method: "POST",
  path: "/api/admin/context/validate",
  permission: "UPDATE_CONTEXT_FIELD",
  body: ContextFieldName,
  errors: ["NameExistsError"],
  response: NoBody,
}).run(({ db, body: { name } }) => requireFreeName(db, name));
