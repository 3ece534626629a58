import type { Provider } from "./integrations-schema.ts";
import { rendered, toMarkdown } from "./message.ts";
import {
  type Deliver,
  deliverOnce,
  HEADERS,
  parameter,
  REQUIRED_SECRET,
  TEMPLATE,
  textOf,
} from "./provider.ts";
import { OF_FLAGS_TO_MONITORS } from "./provider-events.ts";

const EVENTS_API = "https://api.datadoghq.com/api/v1/events";

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
      ...REQUIRED_SECRET,
      placeholder: "32 hexadecimal digits",
    }),
    parameter("sourceTypeName", "Datadog Source Type Name", "text", "The source_type_name of the events."),
    HEADERS,
    TEMPLATE,
  ],
  events: [...OF_FLAGS_TO_MONITORS],
  tagTypes: [{ name: "datadog", description: "A tag for the flag's events in Datadog", icon: "D" }],
};

/** Posts to the Datadog Events API; a body template replaces the text. */
export const datadog: Deliver = async (job, { post, publicUrl }) => {
  const { event } = job;
  const url = textOf(job, "url") || EVENTS_API;
  const template = textOf(job, "bodyTemplate");
  const markdown = toMarkdown(job.summary, publicUrl);
  const sourceTypeName = textOf(job, "sourceTypeName");
  const body = {
    text:
      template === ""
        ? `%%% \n ${markdown} \n %%% `
        : rendered(template, event, markdown, "application/json"),
    title: "Unleash notification update",
    tags: (event.tags ?? []).map(({ type, value }) => `${type}:${value}`),
    ...(sourceTypeName !== "" && { source_type_name: sourceTypeName }),
  };
  const headers = { "content-type": "application/json", "dd-api-key": textOf(job, "apiKey") };
  return deliverOnce(job, post, { what: "Datadog Events API request", url, headers, body, details: { url } });
};
