import type { Answer } from "./post.ts";
import type { Outcome } from "./provider.ts";

/**
 * The channels to retry after sending to several: those that failed but may succeed, so that none gets the message
 * twice.
 * @param answers in the order of the channels
 */
export function retryOf(channels: readonly string[], answers: readonly Answer[]): Pick<Outcome, "retry"> {
  const mayPass = (_: unknown, index: number) => !answers[index]!.isSuccess && answers[index]!.mayPass;
  const remaining = channels.filter(mayPass);
  if (remaining.length === 0) return {};
  const askedMs = Math.max(...answers.filter(mayPass).map(({ askedMs = 0 }) => askedMs));
  return { retry: { askedMs, remaining } };
}
