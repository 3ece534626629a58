import * as v from "valibot";
import { hiddenProjects } from "../access/visibility.ts";
import { JsonStream } from "../http/json-stream.ts";
import { NoBody, operation } from "../http/operation.ts";
import { wholeNumber } from "../lib/validation.ts";
import * as changes from "./changes.ts";
import { PROVIDERS } from "./providers.ts";
import { integrationEvents } from "./record-store.ts";
import { requireIntegration, requireValidIntegration } from "./require.ts";
import {
  GivenIntegration,
  Integration,
  IntegrationEvents,
  IntegrationList,
  NewIntegration,
} from "./schema.ts";
import { maskedParameters } from "./secrets.ts";
import { integrations, toWireIntegration } from "./store.ts";

const TAG = "Integrations";
const ById = {
  tag: TAG,
  params: v.object({ id: wholeNumber(0) }),
  wrongParamsAre404: true,
  errors: ["NotFoundError"],
} as const;

export const listIntegrations = operation({
  id: "getAddons",
  summary: "The integrations and the available providers",
  tag: TAG,
  method: "GET",
  path: "/api/admin/addons",
  permission: null,
  response: IntegrationList,
}).run(({ db, actor }) => {
  const hidden = hiddenProjects(db, actor);
  return {
    addons: integrations(db).map((stored) => toWireIntegration(db, stored, hidden)),
    providers: [...PROVIDERS],
  };
});

export const createIntegration = operation({
  id: "createAddon",
  summary: "Create an integration",
  tag: TAG,
  method: "POST",
  path: "/api/admin/addons",
  permission: "CREATE_ADDON",
  body: NewIntegration,
  status: 201,
  records: ["tag-type-created", "addon-config-created"],
  response: GivenIntegration,
}).change(({ tx, body }) => {
  const created = changes.createIntegration(tx, requireValidIntegration(tx.db, body));
  return { ...created, parameters: maskedParameters(created.provider, created.parameters) };
});

export const readIntegration = operation({
  ...ById,
  id: "getAddon",
  summary: "An integration, with masked secrets",
  method: "GET",
  path: "/api/admin/addons/:id",
  permission: null,
  response: Integration,
}).run(({ db, actor, params: { id } }) =>
  toWireIntegration(db, requireIntegration(db, id), hiddenProjects(db, actor)),
);

export const updateIntegration = operation({
  ...ById,
  id: "updateAddon",
  summary: "Change an integration; a masked secret stays as it is",
  method: "PUT",
  path: "/api/admin/addons/:id",
  permission: "UPDATE_ADDON",
  body: NewIntegration,
  records: ["addon-config-updated"],
  response: Integration,
}).change(({ tx, params: { id }, body }) => {
  const { db, actor } = tx;
  const stored = requireIntegration(db, id);
  const updated = changes.updateIntegration(tx, stored, requireValidIntegration(db, body, stored));
  return toWireIntegration(db, updated, hiddenProjects(db, actor));
});

export const deleteIntegration = operation({
  ...ById,
  id: "deleteAddon",
  summary: "Delete an integration, with the log of its deliveries",
  method: "DELETE",
  path: "/api/admin/addons/:id",
  permission: "DELETE_ADDON",
  records: ["addon-config-deleted"],
  response: NoBody,
}).change(({ tx, params: { id } }) => changes.deleteIntegration(tx, requireIntegration(tx.db, id)));

export const listIntegrationEvents = operation({
  ...ById,
  id: "getIntegrationEvents",
  summary: "The deliveries of an integration",
  method: "GET",
  path: "/api/admin/addons/:id/events",
  permission: "ADMIN",
  query: v.object({ limit: v.optional(wholeNumber(1, 1000), "50"), offset: v.optional(wholeNumber(0), "0") }),
  response: IntegrationEvents,
}).run(({ db, params, query }) => {
  requireIntegration(db, params.id);
  const page = { integrationId: params.id, ...query };
  return new JsonStream((root) => listText(integrationEvents(db, page, root)));
});

/** The list as text, window by window. */
function* listText(windows: Iterable<string>): Generator<string> {
  let begin = `{"integrationEvents":[`;
  for (const window of windows) {
    yield begin;
    yield window;
    begin = ",";
  }
  yield begin === "," ? "]}" : `${begin}]}`;
}
