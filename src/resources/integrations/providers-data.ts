import { EVENT_TYPES } from "../../events/types.ts";
import { HEADERS, parameter, REQUIRED, SECRET, TEMPLATE } from "./parameter.ts";
import { OF_FLAGS_TO_MONITORS, OF_WEBHOOKS } from "./provider-events.ts";
import type { Provider } from "./schema.ts";

const SIGNING =
  "Signs each request by the Standard Webhooks convention (webhook-id, webhook-timestamp, webhook-signature): whsec_ " +
  "and 24 to 64 bytes in base64.";

export const WEBHOOK: Provider = {
  name: "webhook",
  displayName: "Webhook",
  description: "Posts each event to an address of yours.",
  documentationUrl: "https://docs.getunleash.io/docs/addons/webhook",
  howTo:
    "Name the address of a program that takes an HTTP POST and answers 2xx. What fails for a while is tried again, so " +
    "an event may come more than once.",
  parameters: [
    parameter("url", "Webhook URL", "url", "Where each event is posted to.", { ...REQUIRED, ...SECRET }),
    parameter(
      "contentType",
      "Content-Type",
      "text",
      "The header Content-Type; application/json by default.",
      {
        placeholder: "application/json",
      },
    ),
    parameter("authorization", "Authorization", "text", "The header Authorization.", SECRET),
    HEADERS,
    TEMPLATE,
    parameter("signingSecret", "Signing secret", "text", SIGNING, SECRET),
    parameter(
      "previousSigningSecret",
      "Previous signing secret",
      "text",
      "Signs as well, until every receiver knows the new one.",
      SECRET,
    ),
  ],
  events: [...OF_WEBHOOKS],
};

export const DATADOG: Provider = {
  name: "datadog",
  displayName: "Datadog",
  description: "Marks changes of flags among the events of Datadog.",
  documentationUrl: "https://docs.getunleash.io/docs/addons/datadog",
  howTo: "Make an API key in Datadog. Tags of a flag go along with its events.",
  parameters: [
    parameter(
      "url",
      "Datadog Events URL",
      "url",
      "https://api.datadoghq.com/api/v1/events by default; other sites have other addresses.",
    ),
    parameter("apiKey", "Datadog API key", "text", "The API key.", { ...REQUIRED, ...SECRET }),
    parameter("sourceTypeName", "Datadog Source Type Name", "text", "The source_type_name of the events."),
    HEADERS,
    TEMPLATE,
  ],
  events: [...OF_FLAGS_TO_MONITORS],
  tagTypes: [{ name: "datadog", description: "A tag for the flag's events in Datadog", icon: "D" }],
};

export const NEW_RELIC: Provider = {
  name: "new-relic",
  displayName: "New Relic",
  description: "Sends changes of flags to the Event API of New Relic.",
  documentationUrl: "https://docs.getunleash.io/docs/addons/new-relic",
  howTo: "Make a licence key in New Relic and name the address of your account's Event API.",
  parameters: [
    parameter(
      "url",
      "New Relic Event URL",
      "url",
      "Such as https://insights-collector.newrelic.com/v1/accounts/ACCOUNT/events; the EU has an address of its own.",
      REQUIRED,
    ),
    parameter("licenseKey", "New Relic License Key", "text", "The licence key.", { ...REQUIRED, ...SECRET }),
    HEADERS,
    TEMPLATE,
  ],
  events: [...OF_FLAGS_TO_MONITORS],
  tagTypes: [{ name: "new-relic", description: "A tag for the flag's events in New Relic", icon: "D" }],
};

/** Not in the original; for systems without a network. */
export const FILE: Provider = {
  name: "file",
  displayName: "File",
  description: "Appends each event to a file on the server, one JSON object a line.",
  documentationUrl: "https://jsonlines.org",
  howTo:
    "The file NAME.jsonl lies in the folder that the operator chose, by default beside the data. At 10 MB it becomes " +
    "NAME.1.jsonl, and so on; five are kept.",
  parameters: [
    parameter("file", "Name", "text", "Letters, digits, - and _, without the ending .jsonl.", {
      ...REQUIRED,
      placeholder: "changes",
    }),
  ],
  events: [...EVENT_TYPES],
};
