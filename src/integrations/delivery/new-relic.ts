import { promisify } from "node:util";
import zlib from "node:zlib";
import { customHeaders, withProblem } from "./headers.ts";
import { type Deliver, type SentEvent, textOf } from "./provider.ts";
import { outcomeOf } from "./single.ts";
import { rendered } from "./template.ts";
import { toMarkdown } from "./text.ts";

const encode = promisify<string, Buffer>(zlib.gzip);

/** Posts to the New Relic Event API, compressed. */
export const newRelic: Deliver = async (job, { post, publicUrl }) => {
  const { event, now } = job;
  const url = textOf(job, "url");
  const { headers, problem } = customHeaders(job);
  const template = textOf(job, "bodyTemplate");
  const body =
    template === ""
      ? toServiceEvent(event)
      : rendered(template, event, toMarkdown(job.summary, publicUrl), "application/json");
  const all = {
    "api-key": textOf(job, "licenseKey"),
    "content-type": "application/json",
    "content-encoding": "gzip",
    ...headers,
  };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const result = await post(url, { headers: all, body: text, encode }, now);
  return withProblem(outcomeOf("New Relic Events API request", result, { url, body }), problem);
};

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
