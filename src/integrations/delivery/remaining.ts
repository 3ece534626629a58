import type { PostResult } from "./post.ts";
import type { Outcome } from "./provider.ts";

/**
 * The channels to retry after sending to several: those that failed but may succeed, so that none gets the message
 * twice.
 * @param results in the order of the channels
 */
export function retryOf(channels: readonly string[], results: readonly PostResult[]): Pick<Outcome, "retry"> {
  const mayRetry = (_: unknown, index: number) => !results[index]!.isSuccess && results[index]!.isTransient;
  const remaining = channels.filter(mayRetry);
  if (remaining.length === 0) return {};
  const requestedMs = Math.max(...results.filter(mayRetry).map(({ requestedMs = 0 }) => requestedMs));
  return { retry: { requestedMs, remaining } };
}
