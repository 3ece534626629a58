import * as v from "valibot";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { JsonStream } from "../http/json-stream.ts";
import { DELETE, GET, POST, PUT } from "../http/operation.ts";
import { ApiError, found } from "../lib/api-error.ts";
import { wholeNumber } from "../lib/validation.ts";
import { attempt } from "./attempt.ts";
import {
  eventToTry,
  insertAttempt,
  redeliver,
  retryImmediately,
  targetById,
  troubleOf,
} from "./deliveries.ts";
import { dispatcherOf } from "./dispatcher.ts";
import {
  GivenIntegration,
  Integration,
  IntegrationEvent,
  IntegrationEvents,
  IntegrationList,
  NewIntegration,
} from "./integrations-schema.ts";
import * as store from "./integrations-store.ts";
import { maskedParameters, requireValidIntegration } from "./parameters.ts";
import { PROVIDERS } from "./providers.ts";
import { eventOfRecord, integrationEvents, recordById } from "./records.ts";

const ofIntegrations = { tag: "Integrations", path: "/api/admin/addons" } as const;
const id = wholeNumber(0);
const ById = {
  ...ofIntegrations,
  path: `${ofIntegrations.path}/:id`,
  params: v.object({ id }),
  wrongParamsAre404: true,
  errors: ["NotFoundError"],
} as const;

export const listIntegrations = GET({
  ...ofIntegrations,
  id: "getAddons",
  summary: "The integrations and the available providers",
  permission: null,
  response: IntegrationList,
}).run(({ db, actor }) => {
  const hidden = hiddenProjects(db, actor);
  return {
    addons: store.integrations(db).map((stored) => store.toWireIntegration(db, stored, hidden)),
    providers: [...PROVIDERS],
  };
});

const EXAMPLE = {
  provider: "webhook",
  enabled: true,
  description: "Posts to the chat",
  parameters: { url: "https://chat.example/hook" },
  events: ["feature-created", "feature-archived"],
};

export const createIntegration = POST({
  ...ofIntegrations,
  id: "createAddon",
  summary: "Create an integration",
  permission: "CREATE_ADDON",
  body: NewIntegration,
  status: 201,
  records: ["tag-type-created", "addon-config-created"],
  response: GivenIntegration,
  example: EXAMPLE,
}).change(({ tx, body }) => {
  const created = store.createIntegration(tx, requireValidIntegration(tx.db, body));
  return { ...created, parameters: maskedParameters(created) };
});

export const readIntegration = GET({
  ...ById,
  id: "getAddon",
  summary: "An integration, with masked secrets",
  permission: null,
  response: Integration,
}).run(({ db, actor, params }) =>
  store.toWireIntegration(db, requireIntegration(db, params.id), hiddenProjects(db, actor)),
);

export const updateIntegration = PUT({
  ...ById,
  id: "updateAddon",
  summary: "Change an integration; a masked secret stays as it is",
  permission: "UPDATE_ADDON",
  body: NewIntegration,
  records: ["addon-config-updated"],
  response: Integration,
  example: { ...EXAMPLE, enabled: false },
}).change(({ tx, params, body }) => {
  const { db, actor } = tx;
  const stored = requireIntegration(db, params.id);
  const updated = store.updateIntegration(tx, stored, requireValidIntegration(db, body, stored));
  return store.toWireIntegration(db, updated, hiddenProjects(db, actor));
});

export const deleteIntegration = DELETE({
  ...ById,
  id: "deleteAddon",
  summary: "Delete an integration, with the log of its deliveries",
  permission: "DELETE_ADDON",
  records: ["addon-config-deleted"],
}).change(({ tx, params }) => store.removeIntegration(tx, requireIntegration(tx.db, params.id)));

const changePaused = (name: "pause" | "resume", summary: string) =>
  POST({
    ...ById,
    id: `${name}Addon`,
    summary,
    path: `${ById.path}/${name}`,
    permission: "UPDATE_ADDON",
    records: ["addon-config-updated"],
  }).change(({ tx, params }) =>
    store.setIntegrationPaused(tx, requireIntegration(tx.db, params.id), name === "pause"),
  );

export const pauseIntegration = changePaused("pause", "Pause the deliveries of an integration");

export const resumeIntegration = changePaused("resume", "Resume the deliveries of an integration");

/** @throws ApiError `NotFoundError` unless there is an integration with this id */
const requireIntegration = (db: Database, id: number) =>
  found(store.integrationById(db, id), "integration with this id");

export const listIntegrationEvents = GET({
  ...ById,
  id: "getIntegrationEvents",
  summary: "The deliveries of an integration",
  path: `${ById.path}/events`,
  permission: "ADMIN",
  query: v.object({
    limit: v.optional(wholeNumber(1, 1000), "50"),
    offset: v.optional(wholeNumber(0), "0"),
  }),
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

export const tryIntegration = POST({
  ...ById,
  id: "testAddon",
  summary: "Test an integration by sending it an event now, even if it is disabled or paused",
  path: `${ById.path}/test`,
  permission: "UPDATE_ADDON",
  errors: ["NotFoundError", "ConflictError", "ServiceUnavailableError"],
  response: IntegrationEvent,
})
  .prepare(async ({ db, actor, params }) => {
    requireIntegration(db, params.id);
    const eventId = eventToTry(db, params.id, hiddenProjects(db, actor));
    if (eventId === undefined)
      throw new ApiError("ConflictError", "There is no event to send yet: save the integration once");
    const dispatcher = dispatcherOf(db);
    if (!dispatcher) throw new ApiError("ServiceUnavailableError", "This server does not deliver events");
    const { failures } = troubleOf(db, params.id);
    const target = targetById(db).get({ id: params.id })!;
    const slot = await dispatcher.context.takeSlot(failures);
    const options = { eventId, attempts: 0, failures, slot, isTest: true };
    return attempt(dispatcher.context, target, options).finally(slot.release);
  })
  .change(({ tx, params, prepared }) => {
    requireIntegration(tx.db, params.id);
    const id = insertAttempt(tx, prepared!);
    // It works again, so the queue need not wait.
    if (prepared!.state !== "failed") retryImmediately(tx, params.id, tx.now);
    return recordById(tx.db, id);
  });

const RecordId = v.pipe(
  v.string(),
  v.regex(/^\d{1,18}$/),
  v.transform((digits) => BigInt(digits)),
);

export const redeliverEvent = POST({
  ...ById,
  id: "redeliverAddonEvent",
  summary: "Deliver the event of a record again, with a fresh number of attempts",
  path: `${ById.path}/events/:eventId/redeliver`,
  permission: "UPDATE_ADDON",
  params: v.object({ id, eventId: RecordId }),
  status: 202,
  errors: ["NotFoundError", "ConflictError"],
}).change(({ tx, params }) => {
  // One that is disabled would deliver nothing.
  if (!requireIntegration(tx.db, params.id).enabled)
    throw new ApiError("ConflictError", "The integration is disabled: enable it first");
  const eventId = eventOfRecord(tx.db, params.id, params.eventId);
  if (eventId === undefined)
    throw new ApiError("NotFoundError", "The integration has no record with this id");
  redeliver(tx, params.id, eventId, tx.now);
});
