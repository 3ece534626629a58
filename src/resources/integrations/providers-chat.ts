import { HEADERS, parameter, REQUIRED, SECRET } from "./parameter.ts";
import { OF_FLAGS, OF_SLACK } from "./provider-events.ts";
import type { Provider } from "./schema.ts";

const SLACK_TAG = { name: "slack", description: "The Slack channel that is told of the flag", icon: "S" };

const USE_THE_APP = "Prefer the Slack App, which needs no address for each channel.";

export const SLACK: Provider = {
  name: "slack",
  displayName: "Slack",
  description: "Posts messages to Slack by an incoming webhook.",
  documentationUrl: "https://docs.getunleash.io/docs/addons/slack",
  deprecated: USE_THE_APP,
  alerts: [{ type: "warning", text: USE_THE_APP }],
  parameters: [
    parameter("url", "Slack webhook URL", "url", "The address of the incoming webhook.", {
      ...REQUIRED,
      ...SECRET,
    }),
    parameter("username", "Username", "text", "Who the messages are from; Unleash by default.", {
      placeholder: "Unleash",
    }),
    parameter("emojiIcon", "Emoji Icon", "text", "The icon of the messages; :unleash: by default.", {
      placeholder: ":unleash:",
    }),
    parameter(
      "defaultChannel",
      "Default channel",
      "text",
      "Where messages go unless the flag has tags of the type slack.",
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
  description: "Posts messages to channels of a Slack workspace by an app's token.",
  howTo:
    "Make an app in your workspace that may write to channels (chat:write, chat:write.public) and paste its bot token. " +
    "A flag with a tag such as slack:releases is told to the channel #releases as well. Invite the app to private " +
    "channels.",
  documentationUrl: "https://docs.getunleash.io/docs/addons/slack-app",
  parameters: [
    parameter("accessToken", "Access token", "text", "The bot token, xoxb-….", { ...REQUIRED, ...SECRET }),
    parameter("defaultChannels", "Channels", "text", "Channels that are always told, separated by commas."),
  ],
  events: [...OF_SLACK],
  tagTypes: [SLACK_TAG],
};

export const TEAMS: Provider = {
  name: "teams",
  displayName: "Microsoft Teams",
  description: "Posts messages to Microsoft Teams.",
  documentationUrl: "https://docs.getunleash.io/docs/addons/teams",
  howTo: "Add an incoming webhook to a channel of Teams and paste its address.",
  parameters: [
    parameter("url", "Microsoft Teams webhook URL", "url", "The address of the incoming webhook.", {
      ...REQUIRED,
      ...SECRET,
    }),
    HEADERS,
  ],
  events: [...OF_FLAGS],
};
