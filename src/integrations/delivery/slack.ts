import { customHeaders, withProblem } from "./headers.ts";
import { maskedUrl } from "./masked-url.ts";
import type { PostResult } from "./post.ts";
import { type Deliver, type Job, type Outcome, textOf } from "./provider.ts";
import { retryOf } from "./remaining.ts";
import { linkTo, toSlack, trimmed } from "./text.ts";

/** Posts to a Slack incoming webhook, once per channel. */
export const slack: Deliver = async (job, { post, publicUrl }) => {
  const url = textOf(job, "url");
  const username = textOf(job, "username") || "Unleash";
  const { headers, problem } = customHeaders(job);
  const tagged = channelsOfTags(job);
  const channels = job.remaining ?? (tagged.length > 0 ? tagged : [textOf(job, "defaultChannel")]);
  const { text, attachments } = slackMessage(job, publicUrl);
  const common = { username, icon_emoji: textOf(job, "emojiIcon") || ":unleash:", text };
  const results = await Promise.all(
    channels.map((channel) => {
      const body = JSON.stringify({ ...common, channel: `#${channel}`, attachments });
      return post(url, { headers: { "content-type": "application/json", ...headers }, body }, job.now);
    }),
  );
  const details = { url: maskedUrl(url), channels, username, message: text };
  return withProblem({ ...outcomeOfAll(results, details), ...retryOf(channels, results) }, problem);
};

/** The channels named by the flag's tags. */
export const channelsOfTags = ({ event: { tags } }: Job): string[] =>
  (tags ?? []).filter(({ type }) => type === "slack").map(({ value }) => value);

/** The description, and a button with a link. */
export const slackMessage = ({ event, summary }: Job, publicUrl: string) => ({
  text: trimmed(toSlack(summary, publicUrl)),
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

/** With the original's texts. */
function outcomeOfAll(results: PostResult[], details: Record<string, unknown>): Outcome {
  const failed = results.filter(({ isSuccess }) => !isSuccess);
  const total = results.length;
  const codes = results.map(({ status }) => status).join(", ");
  const isAll = failed.length === total;
  const reason = [...new Set(failed.flatMap(({ reason }) => reason ?? []))]
    .map((text) => `\n${text}`)
    .join("");
  if (failed.length === 0) {
    const stateDetails = `All (${total}) Slack webhook requests were successful with status codes: ${codes}.`;
    return { state: "success", stateDetails, details };
  }
  const stateDetails = isAll
    ? `All (${total}) Slack webhook requests failed with status codes: ${codes}.${reason}`
    : `Some (${failed.length} of ${total}) Slack webhook requests failed. Status codes: ${codes}.${reason}`;
  return { state: isAll ? "failed" : "successWithErrors", stateDetails, details };
}
