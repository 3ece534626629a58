import { promisify } from "node:util";
import zlib from "node:zlib";
import type { Provider } from "./integrations-schema.ts";
import { rendered, toMarkdown } from "./message.ts";
import {
  type Deliver,
  deliverOnce,
  HEADERS,
  parameter,
  REQUIRED,
  REQUIRED_SECRET,
  type SentEvent,
  TEMPLATE,
  textOf,
} from "./provider.ts";
import { OF_FLAGS_TO_MONITORS } from "./provider-events.ts";

export const NEW_RELIC: Provider = {
  name: "new-relic",
  displayName: "New Relic",
  description: "Sends changes to flags to the New Relic Event API.",
  documentationUrl: "https://docs.getunleash.io/docs/addons/new-relic",
  howTo: "Create a licence key in New Relic and enter the URL of your account's Event API.",
  parameters: [
    parameter(
      "url",
      "New Relic Event URL",
      "url",
      "For example https://insights-collector.newrelic.com/v1/accounts/ACCOUNT/events; the EU has a different URL.",
      REQUIRED,
    ),
    parameter("licenseKey", "New Relic License Key", "text", "The licence key.", {
      ...REQUIRED_SECRET,
      placeholder: "eu01xx…",
    }),
    HEADERS,
    TEMPLATE,
  ],
  events: [...OF_FLAGS_TO_MONITORS],
  tagTypes: [{ name: "new-relic", description: "A tag for the flag's events in New Relic", icon: "D" }],
};

/** Posts to the New Relic Event API, compressed. */
export const newRelic: Deliver = async (job, { post, publicUrl }) => {
  const { event } = job;
  const url = textOf(job, "url");
  const template = textOf(job, "bodyTemplate");
  const headers = {
    "api-key": textOf(job, "licenseKey"),
    "content-type": "application/json",
    "content-encoding": "gzip",
  };
  const body =
    template === ""
      ? toServiceEvent(event)
      : rendered(template, event, toMarkdown(job.summary, publicUrl), "application/json");
  const what = "New Relic Events API request";
  return deliverOnce(job, post, { what, url, headers, body, encode: compressed, details: { url } });
};

const compressed = promisify<string, Buffer>(zlib.gzip);

/** New Relic accepts only flat objects. */
const toServiceEvent = (event: SentEvent) => ({
  eventType: "UnleashServiceEvent",
  unleashEventType: event.type,
  featureName: event.featureName,
  environment: event.environment,
  createdBy: event.createdBy,
  createdByUserId: event.createdByUserId,
  createdAt: Date.parse(event.createdAt),
  ...event.data,
});
