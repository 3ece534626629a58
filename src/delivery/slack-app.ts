import type { Answer } from "./post.ts";
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
  const answers = await Promise.all(
    channels.map((channel) => {
      const body = JSON.stringify({ channel: `#${channel}`, text, attachments });
      return post(`${slackApi}/chat.postMessage`, { headers, body }, job.now).then(asSlackMeansIt);
    }),
  );
  return { ...outcomeOfCalls(answers, details), ...retryOf(channels, answers) };
};

/** Slack answers even errors with 200, and puts the reason in the body. */
function asSlackMeansIt(answer: Answer): Answer {
  if (!answer.isSuccess) return answer;
  const { ok, error: said } = parsed(answer.text);
  if (ok === true) return answer;
  const error = typeof said === "string" ? said.slice(0, LONGEST_ERROR) : "no answer that can be read";
  const mayPass = /^(ratelimited|internal_error|fatal_error|service_unavailable|request_timeout)$/.test(
    error,
  );
  return { ...answer, status: error, isSuccess: false, mayPass };
}

/** Slack's are a few words. */
const LONGEST_ERROR = 200;

function parsed(text: string): { ok?: unknown; error?: unknown } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** With the original's texts. */
function outcomeOfCalls(answers: Answer[], details: Record<string, unknown>): Outcome {
  const total = answers.length;
  const bad = answers.filter(({ isSuccess }) => !isSuccess);
  if (bad.length === 0)
    return { state: "success", stateDetails: `All (${total}) Slack client calls were successful.`, details };
  const errors = bad
    .map(({ status, why }) => (why === undefined ? String(status) : `${status} (${why})`))
    .join(", ");
  if (bad.length < total) {
    const stateDetails = `Some (${bad.length} of ${total}) Slack client calls failed. Errors: ${errors}`;
    return { state: "successWithErrors", stateDetails, details };
  }
  const stateDetails = `All (${total}) Slack client calls failed with the following errors: ${errors}`;
  return failed(stateDetails, details);
}
