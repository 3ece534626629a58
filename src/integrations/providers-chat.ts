import { HEADERS, parameter, REQUIRED, SECRET } from "./parameter.ts";
import { OF_FLAGS, OF_SLACK } from "./provider-events.ts";
import type { Provider } from "./schema.ts";

const SLACK_TAG = { name: "slack", description: "A Slack channel to notify about the flag", icon: "S" };

const USE_THE_APP = "Use the Slack App instead, which doesn't need a URL per channel.";

export const SLACK: Provider = {
  name: "slack",
  displayName: "Slack",
  description: "Posts messages to Slack through an incoming webhook.",
  documentationUrl: "https://docs.getunleash.io/docs/addons/slack",
  deprecated: USE_THE_APP,
  alerts: [{ type: "warning", text: USE_THE_APP }],
  parameters: [
    parameter("url", "Slack webhook URL", "url", "The URL of the incoming webhook.", {
      ...REQUIRED,
      ...SECRET,
    }),
    parameter("username", "Username", "text", "The sender of the messages; Unleash by default.", {
      placeholder: "Unleash",
    }),
    parameter("emojiIcon", "Emoji Icon", "text", "The icon of the messages; :unleash: by default.", {
      placeholder: ":unleash:",
    }),
    parameter(
      "defaultChannel",
      "Default channel",
      "text",
      "The channel for messages, unless the flag has tags of the type slack.",
      REQUIRED,
    ),
    HEADERS,
  ],
  events: [...OF_FLAGS],
  tagTypes: [SLACK_TAG],
};

export const SLACK_APP: Provider = {
  name: "slack-app",
  displayName: "Slack App",
  description: "Posts messages to channels of a Slack workspace with an app's token.",
  howTo:
    "Create an app in your workspace that can write to channels (chat:write, chat:write.public) and paste its bot token. " +
    "Events of a flag with a tag such as slack:releases also go to the channel #releases. Invite the app to private " +
    "channels.",
  documentationUrl: "https://docs.getunleash.io/docs/addons/slack-app",
  installation: {
    url: "https://api.slack.com/apps?new_app=1",
    title: "Slack App installation",
    helpText: "Create the app and install it in your workspace, then paste its bot token below.",
  },
  parameters: [
    parameter("accessToken", "Access token", "text", "The bot token, xoxb-….", { ...REQUIRED, ...SECRET }),
    parameter(
      "defaultChannels",
      "Channels",
      "text",
      "Channels that always get messages, separated by commas.",
    ),
  ],
  events: [...OF_SLACK],
  tagTypes: [SLACK_TAG],
};

export const TEAMS: Provider = {
  name: "teams",
  displayName: "Microsoft Teams",
  description: "Posts messages to Microsoft Teams.",
  documentationUrl: "https://docs.getunleash.io/docs/addons/teams",
  howTo: "Add an incoming webhook to a Teams channel and paste its URL.",
  parameters: [
    parameter("url", "Microsoft Teams webhook URL", "url", "The URL of the incoming webhook.", {
      ...REQUIRED,
      ...SECRET,
    }),
    HEADERS,
  ],
  events: [...OF_FLAGS],
};
