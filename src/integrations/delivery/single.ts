import type { PostResult } from "./post.ts";
import type { Outcome } from "./provider.ts";

/**
 * The outcome of a single request, with the original's text.
 * @param what for example `Webhook request`
 */
export function outcomeOf(what: string, result: PostResult, details: Record<string, unknown>): Outcome {
  const { status, reason, isSuccess, isTransient, requestedMs } = result;
  const words = isSuccess ? "was successful" : "failed";
  const more = reason === undefined ? "" : `\n${reason}`;
  return {
    state: isSuccess ? "success" : "failed",
    stateDetails: `${what} ${words} with status code: ${status}.${more}`,
    details: { ...details, ...(typeof status === "number" && { status }) },
    ...(!isSuccess && isTransient && { retry: { requestedMs } }),
  };
}
