import * as v from "valibot";
import { ApiError } from "../../http/error.ts";
import { operation } from "../../http/operation.ts";
import { wholeNumber } from "../../validation.ts";
import { IntegrationEvents } from "./schema.ts";
import { integrationEvents, isIntegration } from "./store.ts";

export const listIntegrationEvents = operation({
  method: "GET",
  path: "/api/admin/addons/:id/events",
  permission: "ADMIN",
  params: v.object({ id: wholeNumber(0) }),
  wrongParamsAre404: true,
  query: v.object({ limit: v.optional(wholeNumber(1, 1000), "50"), offset: v.optional(wholeNumber(0), "0") }),
  response: IntegrationEvents,
}).run(({ db, params, query }) => {
  if (!isIntegration(db, params.id)) {
    throw new ApiError("NotFoundError", "There is no integration with this id");
  }
  return { integrationEvents: integrationEvents(db, { integrationId: params.id, ...query }) };
});
