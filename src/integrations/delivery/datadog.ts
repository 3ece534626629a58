import { customHeaders, withProblem } from "./headers.ts";
import { type Deliver, textOf } from "./provider.ts";
import { outcomeOf } from "./single.ts";
import { rendered } from "./template.ts";
import { toMarkdown } from "./text.ts";

const EVENTS_API = "https://api.datadoghq.com/api/v1/events";

/** Posts to the Datadog Events API; a body template replaces the text. */
export const datadog: Deliver = async (job, { post, publicUrl }) => {
  const { event, now } = job;
  const url = textOf(job, "url") || EVENTS_API;
  const { headers, problem } = customHeaders(job);
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
  const all = { "content-type": "application/json", "dd-api-key": textOf(job, "apiKey"), ...headers };
  const result = await post(url, { headers: all, body: JSON.stringify(body) }, now);
  return withProblem(outcomeOf("Datadog Events API request", result, { url, body }), problem);
};
