import { EVENT_TYPES } from "../events/types.ts";
import { HEADERS, parameter, REQUIRED, SECRET, TEMPLATE } from "./parameter.ts";
import { OF_FLAGS_TO_MONITORS, OF_WEBHOOKS } from "./provider-events.ts";
import type { Provider } from "./schema.ts";

const SIGNING =
  "Signs each request according to Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature): whsec_ " +
  "and 24 to 64 bytes in base64.";

export const WEBHOOK: Provider = {
  name: "webhook",
  displayName: "Webhook",
  description: "Posts each event to a URL of your choice.",
  documentationUrl: "https://docs.getunleash.io/docs/addons/webhook",
  howTo:
    "Enter the URL of a program that accepts an HTTP POST and answers 2xx. Temporary failures are retried, so " +
    "an event may arrive more than once.",
  parameters: [
    parameter("url", "Webhook URL", "url", "The URL that events are posted to.", { ...REQUIRED, ...SECRET }),
    parameter(
      "contentType",
      "Content-Type",
      "text",
      "The header Content-Type; application/json by default.",
      {
        placeholder: "application/json",
      },
    ),
    parameter("authorization", "Authorization", "text", "The header Authorization.", {
      ...SECRET,
      placeholder: "",
    }),
    HEADERS,
    TEMPLATE,
    parameter("signingSecret", "Signing secret", "text", SIGNING, SECRET),
    parameter(
      "previousSigningSecret",
      "Previous signing secret",
      "text",
      "Also used for signing until all receivers know the new one.",
      SECRET,
    ),
  ],
  events: [...OF_WEBHOOKS],
};

export const DATADOG: Provider = {
  name: "datadog",
  displayName: "Datadog",
  description: "Adds changes to flags to the events in Datadog.",
  documentationUrl: "https://docs.getunleash.io/docs/addons/datadog",
  howTo: "Create an API key in Datadog. Events include the flag's tags.",
  parameters: [
    parameter(
      "url",
      "Datadog Events URL",
      "url",
      "https://api.datadoghq.com/api/v1/events by default; other sites have different URLs.",
    ),
    parameter("apiKey", "Datadog API key", "text", "The API key.", {
      ...REQUIRED,
      ...SECRET,
      placeholder: "32 hexadecimal digits",
    }),
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
      ...REQUIRED,
      ...SECRET,
      placeholder: "eu01xx…",
    }),
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
  description: "Appends each event to a file on the server, one JSON object per line.",
  documentationUrl: "https://jsonlines.org",
  howTo:
    "The file NAME.jsonl is in the folder chosen by the operator, by default next to the data file. At 10 MB it becomes " +
    "NAME.1.jsonl, and so on; five are kept.",
  parameters: [
    parameter("file", "Name", "text", "Letters, digits, - and _, without the extension .jsonl.", {
      ...REQUIRED,
      placeholder: "changes",
    }),
  ],
  events: [...EVENT_TYPES],
};
