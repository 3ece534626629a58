import { parsedJson } from "../lib/text.ts";
import type { PostResult } from "./post.ts";
import { OF_FLAGS, OF_SLACK } from "./provider-events.ts";
import {
  customHeaders,
  failed,
  HEADERS,
  type Job,
  linkTo,
  maskedUrl,
  type Outcome,
  parameter,
  REQUIRED,
  REQUIRED_SECRET,
  SECRET_URL,
  type Service,
  toSlack,
  withProblem,
} from "./service.ts";

const SLACK_TAG = { name: "slack", description: "A Slack channel to notify about the flag", icon: "S" };

const USE_THE_APP = "Use the Slack App instead, which doesn't need a URL per channel.";

/** Posts to a Slack incoming webhook, once per channel. */
export const SLACK: Service = {
  definition: {
    name: "slack",
    displayName: "Slack",
    description: "Posts messages to Slack through an incoming webhook.",
    documentationUrl: "https://docs.getunleash.io/docs/addons/slack",
    deprecated: USE_THE_APP,
    alerts: [{ type: "warning", text: USE_THE_APP }],
    parameters: [
      parameter("url", "Slack webhook URL", "The URL of the incoming webhook.", SECRET_URL),
      parameter("username", "Username", "The sender of the messages; Unleash by default.", {
        placeholder: "Unleash",
      }),
      parameter("emojiIcon", "Emoji Icon", "The icon of the messages; :unleash: by default.", {
        placeholder: ":unleash:",
      }),
      parameter(
        "defaultChannel",
        "Default channel",

        "The channel for messages, unless the flag has tags of the type slack.",
        REQUIRED,
      ),
      HEADERS,
    ],
    events: [...OF_FLAGS],
    tagTypes: [SLACK_TAG],
  },
  async deliver(job, { post, publicUrl }) {
    const { url = "", username = "Unleash", emojiIcon = ":unleash:", defaultChannel = "" } = job.parameters;
    const { headers, problem } = customHeaders(job);
    const tagged = channelsOfTags(job);
    const channels = job.remaining ?? (tagged.length > 0 ? tagged : [defaultChannel]);
    const { text, attachments } = toMessage(job, publicUrl);
    const common = { username, icon_emoji: emojiIcon, text };
    const results = await Promise.all(
      channels.map((channel) => {
        const body = JSON.stringify({ ...common, channel: `#${channel}`, attachments });
        return post(url, { headers: { "content-type": "application/json", ...headers }, body }, job.now);
      }),
    );
    const codes = results.map(({ status }) => status).join(", ");
    const reasons = new Set(results.flatMap(({ isSuccess, reason = [] }) => (isSuccess ? [] : reason)));
    const reason = [...reasons].map((each) => `\n${each}`).join("");
    const outcome = outcomeOfAll("Slack webhook requests", channels, results, {
      success: ` with status codes: ${codes}.`,
      failed: ` with status codes: ${codes}.${reason}`,
      successWithErrors: ` Status codes: ${codes}.${reason}`,
    });
    return withProblem(
      { ...outcome, details: { url: maskedUrl(url), channels, username, message: text } },
      problem,
    );
  },
};

/** Posts with the Slack Web API, once per channel: the default channels and those of the flag's tags. */
export const SLACK_APP: Service = {
  definition: {
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
      parameter("accessToken", "Access token", "The bot token, xoxb-….", REQUIRED_SECRET),
      parameter(
        "defaultChannels",
        "Channels",

        "Channels that always get messages, separated by commas.",
      ),
    ],
    events: [...OF_SLACK],
    tagTypes: [SLACK_TAG],
  },
  async deliver(job, { post, publicUrl, slackApi }) {
    const { accessToken: token = "", defaultChannels = "" } = job.parameters;
    const names = [...defaultChannels.split(","), ...channelsOfTags(job)].map((name) =>
      name.trim().replace(/^#/, ""),
    );
    const channels = job.remaining ?? [...new Set(names.filter(Boolean))];
    const { text, attachments } = toMessage(job, publicUrl);
    const details = { channels, message: text };
    if (token === "") return failed("No access token provided.", details);
    if (channels.length === 0) return failed(`No Slack channels found for event ${job.event.type}.`, details);
    const headers = { "content-type": "application/json; charset=utf-8", authorization: `Bearer ${token}` };
    const results = await Promise.all(
      channels.map((channel) => {
        const body = JSON.stringify({ channel: `#${channel}`, text, attachments });
        return post(`${slackApi}/chat.postMessage`, { headers, body }, job.now).then(interpreted);
      }),
    );
    const errors = results
      .filter(({ isSuccess }) => !isSuccess)
      .map(({ status, reason }) => (reason === undefined ? String(status) : `${status} (${reason})`))
      .join(", ");
    const outcome = outcomeOfAll("Slack client calls", channels, results, {
      success: ".",
      failed: ` with the following errors: ${errors}`,
      successWithErrors: ` Errors: ${errors}`,
    });
    return { ...outcome, details };
  },
};

const channelsOfTags = ({ event: { tags } }: Job): string[] =>
  (tags ?? []).filter(({ type }) => type === "slack").map(({ value }) => value);

/** The description, and a button with a link. */
const toMessage = ({ event, summary }: Job, publicUrl: string) => ({
  text: toSlack(summary, publicUrl),
  attachments: [
    {
      actions: [
        {
          name: "featureToggle",
          text: "Open in Unleash",
          type: "button",
          value: "featureToggle",
          style: "primary",
          url: linkTo(event, publicUrl),
        },
      ],
    },
  ],
});

/** Slack responds with 200 even to errors, and puts the reason in the body. */
function interpreted(result: PostResult): PostResult {
  if (!result.isSuccess) return result;
  const { ok, error: slackError } = parsed(result.text);
  if (ok === true) return result;
  const error =
    typeof slackError === "string" ? slackError.slice(0, MAX_ERROR_LENGTH) : "unreadable response";
  const isTransient = /^(ratelimited|internal_error|fatal_error|service_unavailable|request_timeout)$/.test(
    error,
  );
  return { ...result, status: error, isSuccess: false, isTransient };
}

/** Slack's own errors are a few words. */
const MAX_ERROR_LENGTH = 200;

const parsed = (text: string): { ok?: unknown; error?: unknown } => parsedJson(text) ?? {};

/**
 * The outcome of a request per channel, with the original's texts.
 * @param ends how the texts end
 */
function outcomeOfAll(
  requests: string,
  channels: readonly string[],
  results: readonly PostResult[],
  ends: Readonly<Record<Outcome["state"], string>>,
): Omit<Outcome, "details"> {
  const total = results.length;
  const bad = results.filter(({ isSuccess }) => !isSuccess).length;
  const state = bad === 0 ? "success" : bad === total ? "failed" : "successWithErrors";
  const begin = {
    success: `All (${total}) ${requests} were successful`,
    failed: `All (${total}) ${requests} failed`,
    successWithErrors: `Some (${bad} of ${total}) ${requests} failed.`,
  };
  return { state, stateDetails: begin[state] + ends[state], ...retryOf(channels, results) };
}

/**
 * The channels to retry after sending to several: those that failed but may succeed, so that none gets the message
 * twice.
 * @param results in the order of the channels
 */
function retryOf(channels: readonly string[], results: readonly PostResult[]): Pick<Outcome, "retry"> {
  const mayRetry = (_: unknown, index: number) => !results[index]!.isSuccess && results[index]!.isTransient;
  const remaining = channels.filter(mayRetry);
  if (remaining.length === 0) return {};
  const requestedMs = Math.max(...results.filter(mayRetry).map(({ requestedMs = 0 }) => requestedMs));
  return { retry: { requestedMs, remaining } };
}
