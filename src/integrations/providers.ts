import crypto from "node:crypto";
import { promisify } from "node:util";
import zlib from "node:zlib";
import { FILE } from "./file.ts";
import type { Provider, ProviderParameter } from "./integrations-schema.ts";
import { OF_FLAGS, OF_FLAGS_TO_MONITORS, OF_WEBHOOKS } from "./provider-events.ts";
import {
  HEADERS,
  linkTo,
  maskedUrl,
  parameter,
  posting,
  REQUIRED_SECRET,
  rendered,
  SECRET,
  SECRET_URL,
  type Service,
  TEMPLATE,
  toMarkdown,
} from "./service.ts";
import { SLACK, SLACK_APP } from "./slack.ts";

const JSON_TYPE = { "content-type": "application/json" };

const SIGNING =
  "Signs each request according to Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature): whsec_ " +
  "and 24 to 64 bytes in base64.";

/** Posts the event, or the result of a template. */
const WEBHOOK: Service = {
  definition: {
    name: "webhook",
    displayName: "Webhook",
    description: "Posts each event to a URL of your choice.",
    documentationUrl: "https://docs.getunleash.io/docs/addons/webhook",
    howTo:
      "Enter the URL of a program that accepts an HTTP POST and answers 2xx. Temporary failures are retried, so " +
      "an event may arrive more than once.",
    parameters: [
      parameter("url", "Webhook URL", "The URL that events are posted to.", SECRET_URL),
      parameter("contentType", "Content-Type", "The header Content-Type; application/json by default.", {
        placeholder: "application/json",
      }),
      parameter("authorization", "Authorization", "The header Authorization.", {
        ...SECRET,
        placeholder: "",
      }),
      HEADERS,
      TEMPLATE,
      parameter("signingSecret", "Signing secret", SIGNING, SECRET),
      parameter(
        "previousSigningSecret",
        "Previous signing secret",
        "Also used for signing until all receivers know the new one.",
        SECRET,
      ),
    ],
    events: [...OF_WEBHOOKS],
  },
  deliver: posting("Webhook request", (job, publicUrl) => {
    const { event, head, integrationId, now } = job;
    const { url = "", contentType = "application/json", authorization, ...others } = job.parameters;
    const secrets = [others.signingSecret ?? [], others.previousSigningSecret ?? []].flat();
    return {
      url,
      headers: {
        "content-type": contentType,
        ...(authorization && { authorization }),
        ...(head !== null && { "flagstone-head": head }),
      },
      body: rendered(job, publicUrl, event, contentType),
      sign: (body) => signed(`${integrationId}-${event.id}`, now, body, secrets),
      details: { url: maskedUrl(url), contentType },
    };
  }),
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

/** Posts a message card. */
const TEAMS: Service = {
  definition: {
    name: "teams",
    displayName: "Microsoft Teams",
    description: "Posts messages to Microsoft Teams.",
    documentationUrl: "https://docs.getunleash.io/docs/addons/teams",
    howTo: "Add an incoming webhook to a Teams channel and paste its URL.",
    parameters: [
      parameter("url", "Microsoft Teams webhook URL", "The URL of the incoming webhook.", SECRET_URL),
      HEADERS,
    ],
    events: [...OF_FLAGS],
  },
  deliver: posting("Teams webhook request", ({ event, summary, parameters: { url = "" } }, publicUrl) => ({
    url,
    headers: JSON_TYPE,
    body: {
      themeColor: "0076D7",
      summary: "Message",
      sections: [
        {
          activityTitle: toMarkdown(summary, publicUrl),
          activitySubtitle: "Unleash notification update",
          facts: [
            { name: "User", value: event.createdBy },
            { name: "Action", value: event.type },
          ],
        },
      ],
      potentialAction: [
        {
          "@type": "OpenUri",
          name: "Go to feature",
          targets: [{ os: "default", uri: linkTo(event, publicUrl) }],
        },
      ],
    },
    details: { url: maskedUrl(url) },
  })),
};

const EVENTS_API = "https://api.datadoghq.com/api/v1/events";

/** Posts to the Datadog Events API; a body template replaces the text. */
const DATADOG: Service = {
  definition: {
    name: "datadog",
    displayName: "Datadog",
    description: "Adds changes to flags to the events in Datadog.",
    documentationUrl: "https://docs.getunleash.io/docs/addons/datadog",
    howTo: "Create an API key in Datadog. Events include the flag's tags.",
    parameters: [
      parameter("url", "Datadog Events URL", `${EVENTS_API} by default; other sites have different URLs.`, {
        type: "url",
      }),
      parameter("apiKey", "Datadog API key", "The API key.", {
        ...REQUIRED_SECRET,
        placeholder: "32 hexadecimal digits",
      }),
      parameter("sourceTypeName", "Datadog Source Type Name", "The source_type_name of the events."),
      HEADERS,
      TEMPLATE,
    ],
    events: [...OF_FLAGS_TO_MONITORS],
    tagTypes: [{ name: "datadog", description: "A tag for the flag's events in Datadog", icon: "D" }],
  },
  deliver: posting("Datadog Events API request", (job, publicUrl) => {
    const { url = EVENTS_API, apiKey = "", sourceTypeName } = job.parameters;
    const body = {
      text: rendered(job, publicUrl, `%%% \n ${toMarkdown(job.summary, publicUrl)} \n %%% `),
      title: "Unleash notification update",
      tags: (job.event.tags ?? []).map(({ type, value }) => `${type}:${value}`),
      ...(sourceTypeName && { source_type_name: sourceTypeName }),
    };
    return { url, headers: { ...JSON_TYPE, "dd-api-key": apiKey }, body, details: { url } };
  }),
};

const compressed = promisify<string, Buffer>(zlib.gzip);

/** Posts to the New Relic Event API, which accepts only flat objects, compressed. */
const NEW_RELIC: Service = {
  definition: {
    name: "new-relic",
    displayName: "New Relic",
    description: "Sends changes to flags to the New Relic Event API.",
    documentationUrl: "https://docs.getunleash.io/docs/addons/new-relic",
    howTo: "Create a licence key in New Relic and enter the URL of your account's Event API.",
    parameters: [
      parameter(
        "url",
        "New Relic Event URL",
        "For example https://insights-collector.newrelic.com/v1/accounts/ACCOUNT/events; the EU has a different URL.",
        { type: "url", required: true },
      ),
      parameter("licenseKey", "New Relic License Key", "The licence key.", {
        ...REQUIRED_SECRET,
        placeholder: "eu01xx…",
      }),
      HEADERS,
      TEMPLATE,
    ],
    events: [...OF_FLAGS_TO_MONITORS],
    tagTypes: [{ name: "new-relic", description: "A tag for the flag's events in New Relic", icon: "D" }],
  },
  deliver: posting("New Relic Events API request", (job, publicUrl) => {
    const { url = "", licenseKey = "" } = job.parameters;
    const { type, featureName, environment, createdBy, createdByUserId, createdAt, data } = job.event;
    const serviceEvent = {
      eventType: "UnleashServiceEvent",
      unleashEventType: type,
      featureName,
      environment,
      createdBy,
      createdByUserId,
      createdAt: Date.parse(createdAt),
      ...data,
    };
    return {
      url,
      headers: { "api-key": licenseKey, ...JSON_TYPE, "content-encoding": "gzip" },
      body: rendered(job, publicUrl, serviceEvent),
      encode: compressed,
      details: { url },
    };
  }),
};

/** The original's providers in its order, then our own. */
const SERVICES: readonly Service[] = [WEBHOOK, SLACK, SLACK_APP, TEAMS, DATADOG, NEW_RELIC, FILE];

export const PROVIDERS: readonly Provider[] = SERVICES.map(({ definition }) => definition);

/** The service of this name; undefined if it is unknown. */
export const serviceNamed = (name: string): Service | undefined =>
  SERVICES.find(({ definition }) => definition.name === name);

/** The parameters in the order of the definition; none for an unknown provider. */
export const parametersOf = (provider: string): readonly ProviderParameter[] =>
  serviceNamed(provider)?.definition.parameters ?? [];
