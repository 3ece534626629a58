import { customHeaders, withProblem } from "./headers.ts";
import { maskedUrl } from "./masked-url.ts";
import { type Deliver, textOf } from "./provider.ts";
import { signed } from "./sign.ts";
import { outcomeOf } from "./single.ts";
import { rendered } from "./template.ts";
import { toMarkdown } from "./text.ts";

/** Posts the event, or the result of a template. */
export const webhook: Deliver = async (job, { post, publicUrl }) => {
  const { event, now } = job;
  const url = textOf(job, "url");
  const contentType = textOf(job, "contentType") || "application/json";
  const template = textOf(job, "bodyTemplate");
  const { headers, problem } = customHeaders(job);
  const sent =
    template === "" ? event : rendered(template, event, toMarkdown(job.summary, publicUrl), contentType);
  const body = typeof sent === "string" ? sent : JSON.stringify(sent);
  const authorization = textOf(job, "authorization");
  const secrets = [textOf(job, "signingSecret"), textOf(job, "previousSigningSecret")].filter(Boolean);
  const all = {
    "content-type": contentType,
    ...(authorization !== "" && { authorization }),
    ...headers,
    ...signed(`${job.integrationId}-${event.id}`, now, body, secrets),
  };
  const result = await post(url, { headers: all, body }, now);
  return withProblem(
    outcomeOf("Webhook request", result, { url: maskedUrl(url), contentType, body: sent }),
    problem,
  );
};
