import crypto from "node:crypto";
import type { Provider } from "./integrations-schema.ts";
import { rendered, toMarkdown } from "./message.ts";
import {
  type Deliver,
  deliverOnce,
  HEADERS,
  maskedUrl,
  parameter,
  REQUIRED_SECRET,
  SECRET,
  TEMPLATE,
  textOf,
} from "./provider.ts";
import { OF_WEBHOOKS } from "./provider-events.ts";

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
    parameter("url", "Webhook URL", "url", "The URL that events are posted to.", REQUIRED_SECRET),
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

/** Posts the event, or the result of a template. */
export const webhook: Deliver = async (job, { post, publicUrl }) => {
  const { event, now } = job;
  const url = textOf(job, "url");
  const contentType = textOf(job, "contentType") || "application/json";
  const template = textOf(job, "bodyTemplate");
  const authorization = textOf(job, "authorization");
  const secrets = [textOf(job, "signingSecret"), textOf(job, "previousSigningSecret")].filter(Boolean);
  return deliverOnce(job, post, {
    what: "Webhook request",
    url,
    headers: { "content-type": contentType, ...(authorization !== "" && { authorization }) },
    body:
      template === "" ? event : rendered(template, event, toMarkdown(job.summary, publicUrl), contentType),
    sign: (body) => signed(`${job.integrationId}-${event.id}`, now, body, secrets),
    details: { url: maskedUrl(url), contentType },
  });
};

/**
 * Headers that prove the sender (Standard Webhooks). The id stays the same across attempts, so that receivers can
 * recognize repeats.
 * @param secrets `whsec_…`; the signatures of all are sent, so that the receiver needs only one of them
 */
function signed(id: string, now: number, body: string, secrets: readonly string[]) {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    return `v1,${crypto.createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(signatures.length > 0 && { "webhook-signature": signatures.join(" ") }),
  };
}
