import * as v from "valibot";
import { ApiError } from "../../http/error.ts";
import { JsonStream } from "../../http/json-stream.ts";
import { operation } from "../../http/operation.ts";
import { wholeNumber } from "../../validation.ts";
import { IntegrationEvents } from "./schema.ts";
import { integrationEvents, isIntegration } from "./store.ts";

export const listIntegrationEvents = operation({
  id: "getIntegrationEvents",
  summary: "What an integration delivered",
  tag: "Integrations",
  method: "GET",
  path: "/api/admin/addons/:id/events",
  permission: "ADMIN",
  params: v.object({ id: wholeNumber(0) }),
  wrongParamsAre404: true,
  query: v.object({ limit: v.optional(wholeNumber(1, 1000), "50"), offset: v.optional(wholeNumber(0), "0") }),
  errors: ["NotFoundError"],
  response: IntegrationEvents,
}).run(({ db, params, query }) => {
  if (!isIntegration(db, params.id)) {
    throw new ApiError("NotFoundError", "There is no integration with this id");
  }
  const page = { integrationId: params.id, ...query };
  return new JsonStream((root) => listText(integrationEvents(db, page, root)));
});

/** The list as text, a window at a time. */
function* listText(windows: Iterable<string[]>): Generator<string> {
  let begin = `{"integrationEvents":[`;
  for (const window of windows) {
    yield begin + window.join(",");
    begin = ",";
  }
  yield "]}";
}
