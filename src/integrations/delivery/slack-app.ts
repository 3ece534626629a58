import type { PostResult } from "./post.ts";
import { type Deliver, failed, type Outcome, textOf } from "./provider.ts";
import { retryOf } from "./remaining.ts";
import { channelsOfTags, slackMessage } from "./slack.ts";

/** Posts with the Slack Web API, once per channel: the default channels and those of the flag's tags. */
export const slackApp: Deliver = async (job, { post, publicUrl, slackApi }) => {
  const token = textOf(job, "accessToken");
  const always = textOf(job, "defaultChannels").split(",");
  const names = [...always, ...channelsOfTags(job)].map((name) => name.trim().replace(/^#/, ""));
  const channels = job.remaining ?? [...new Set(names.filter(Boolean))];
  const { text, attachments } = slackMessage(job, publicUrl);
  const details = { channels, message: text };
  if (token === "") return failed("No access token provided.", details);
  if (channels.length === 0) return failed(`No Slack channels found for event ${job.event.type}.`, details);
  const headers = { "content-type": "application/json; charset=utf-8", authorization: `Bearer ${token}` };
  const results = await Promise.all(
    channels.map((channel) => {
      const body = JSON.stringify({ channel: `#${channel}`, text, attachments });
      return post(`${slackApi}/chat.postMessage`, { headers, body }, job.now).then(interpretSlackResult);
    }),
  );
  return { ...outcomeOfCalls(results, details), ...retryOf(channels, results) };
};

/** Slack responds with 200 even to errors, and puts the reason in the body. */
function interpretSlackResult(result: PostResult): PostResult {
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

function parsed(text: string): { ok?: unknown; error?: unknown } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** With the original's texts. */
function outcomeOfCalls(results: PostResult[], details: Record<string, unknown>): Outcome {
  const total = results.length;
  const bad = results.filter(({ isSuccess }) => !isSuccess);
  if (bad.length === 0)
    return { state: "success", stateDetails: `All (${total}) Slack client calls were successful.`, details };
  const errors = bad
    .map(({ status, reason }) => (reason === undefined ? String(status) : `${status} (${reason})`))
    .join(", ");
  if (bad.length < total) {
    const stateDetails = `Some (${bad.length} of ${total}) Slack client calls failed. Errors: ${errors}`;
    return { state: "successWithErrors", stateDetails, details };
  }
  const stateDetails = `All (${total}) Slack client calls failed with the following errors: ${errors}`;
  return failed(stateDetails, details);
}
