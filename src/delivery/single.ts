import type { Answer } from "./post.ts";
import type { Outcome } from "./provider.ts";

/**
 * The outcome of a single request, with the original's text.
 * @param what for example `Webhook request`
 */
export function outcomeOf(what: string, answer: Answer, details: Record<string, unknown>): Outcome {
  const { status, why, isSuccess, mayPass, askedMs } = answer;
  const words = isSuccess ? "was successful" : "failed";
  const more = why === undefined ? "" : `\n${why}`;
  return {
    state: isSuccess ? "success" : "failed",
    stateDetails: `${what} ${words} with status code: ${status}.${more}`,
    details: { ...details, ...(typeof status === "number" && { status }) },
    ...(!isSuccess && mayPass && { retry: { askedMs } }),
  };
}
