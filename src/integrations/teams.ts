import type { Provider } from "./integrations-schema.ts";
import { linkTo, toMarkdown } from "./message.ts";
import {
  type Deliver,
  deliverOnce,
  HEADERS,
  maskedUrl,
  parameter,
  REQUIRED_SECRET,
  textOf,
} from "./provider.ts";
import { OF_FLAGS } from "./provider-events.ts";

export const TEAMS: Provider = {
  name: "teams",
  displayName: "Microsoft Teams",
  description: "Posts messages to Microsoft Teams.",
  documentationUrl: "https://docs.getunleash.io/docs/addons/teams",
  howTo: "Add an incoming webhook to a Teams channel and paste its URL.",
  parameters: [
    parameter(
      "url",
      "Microsoft Teams webhook URL",
      "url",
      "The URL of the incoming webhook.",
      REQUIRED_SECRET,
    ),
    HEADERS,
  ],
  events: [...OF_FLAGS],
};

/** Posts a message card to Microsoft Teams. */
export const teams: Deliver = async (job, { post, publicUrl }) => {
  const { event, summary } = job;
  const url = textOf(job, "url");
  const body = {
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
  };
  const headers = { "content-type": "application/json" };
  const details = { url: maskedUrl(url) };
  return deliverOnce(job, post, { what: "Teams webhook request", url, headers, body, details });
};
