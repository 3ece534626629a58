import * as v from "valibot";
import { NoBody, operation } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import { wholeNumber } from "../lib/validation.ts";
import * as changes from "./changes.ts";
import { insertAttempt, redeliver, retryImmediately } from "./changes-deliveries.ts";
import { attempt } from "./delivery/attempt.ts";
import { dispatcherOf } from "./delivery/dispatcher.ts";
import { consecutiveFailures, targetById } from "./delivery-store.ts";
import { recordById } from "./record-store.ts";
import { requireEnabled, requireEventToTry, requireIntegration, requireRecord } from "./require.ts";
import { IntegrationEvent } from "./schema.ts";

const id = wholeNumber(0);
const Common = {
  tag: "Integrations",
  method: "POST",
  permission: "UPDATE_ADDON",
  wrongParamsAre404: true,
} as const;

export const tryIntegration = operation({
  ...Common,
  id: "testAddon",
  summary: "Test an integration by sending it an event now, even if it is disabled or paused",
  path: "/api/admin/addons/:id/test",
  params: v.object({ id }),
  errors: ["NotFoundError", "ConflictError", "ServiceUnavailableError"],
  response: IntegrationEvent,
})
  .prepare(async ({ db, actor, params }) => {
    requireIntegration(db, params.id);
    const eventId = requireEventToTry(db, actor, params.id);
    const dispatcher = dispatcherOf(db);
    if (!dispatcher) throw new ApiError("ServiceUnavailableError", "This server does not deliver events");
    const failures = consecutiveFailures(db, params.id);
    const target = targetById(db, params.id)!;
    const place = await dispatcher.context.takePlace(failures);
    return attempt(dispatcher.context, target, {
      eventId,
      attempts: 0,
      failures,
      place,
      isTest: true,
    }).finally(place.release);
  })
  .change(({ tx, params, prepared }) => {
    requireIntegration(tx.db, params.id);
    const id = insertAttempt(tx, prepared!);
    // It works again, so the queue need not wait.
    if (prepared!.state !== "failed") retryImmediately(tx, params.id, tx.now);
    return recordById(tx.db, id);
  });

export const redeliverEvent = operation({
  ...Common,
  id: "redeliverAddonEvent",
  summary: "Deliver the event of a record again, with a fresh number of attempts",
  path: "/api/admin/addons/:id/events/:eventId/redeliver",
  params: v.object({
    id,
    eventId: v.pipe(
      v.string(),
      v.regex(/^\d{1,18}$/),
      v.transform((digits) => BigInt(digits)),
    ),
  }),
  status: 202,
  errors: ["NotFoundError", "ConflictError"],
  response: NoBody,
}).change(({ tx, params }) => {
  requireEnabled(requireIntegration(tx.db, params.id));
  redeliver(tx, params.id, requireRecord(tx.db, params.id, params.eventId), tx.now);
});

const changePaused = (name: "pause" | "resume", summary: string) =>
  operation({
    ...Common,
    id: `${name}Addon`,
    summary,
    path: `/api/admin/addons/:id/${name}`,
    params: v.object({ id }),
    errors: ["NotFoundError"],
    records: ["addon-config-updated"],
    response: NoBody,
  }).change(({ tx, params }) =>
    changes.pauseIntegration(tx, requireIntegration(tx.db, params.id), name === "pause"),
  );

export const pauseIntegration = changePaused("pause", "Pause the deliveries of an integration");

export const resumeIntegration = changePaused("resume", "Resume the deliveries of an integration");
