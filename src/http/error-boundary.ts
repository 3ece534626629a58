import type { ServerResponse } from "node:http";
import type { Log } from "../lib/logger.ts";
import { toApiError } from "./failure.ts";
import type { Listener } from "./listener.ts";
import { pathOf } from "./path.ts";
import { refuse } from "./refuse.ts";

/**
 * Whatever a listener throws, synchronously or later, becomes one response and one log line and never ends the process.
 * The same goes for a response that fails while being streamed; its client sees that it is incomplete.
 */
export const withErrorBoundary =
  (log: Log, listener: Listener): Listener =>
  (request, response) => {
    const fail = (error: unknown) => refuse(log, toApiError(error), request, response);
    response.once("close", () => reportBroken(log, response));
    try {
      const result = listener(request, response);
      if (result instanceof Promise) result.catch(fail);
    } catch (error) {
      fail(error);
    }
  };

/**
 * A client that hangs up is not our failure. The system reports it as a failed call; Node as a reset, if the response
 * was still queued behind an earlier one.
 */
function reportBroken(log: Log, { errored, req }: ServerResponse) {
  if (!errored || "syscall" in errored || (errored as NodeJS.ErrnoException).code === "ECONNRESET") return;
  const about = { method: req.method, path: pathOf(req) };
  log({ level: "error", message: "A response was cut short", ...about, cause: String(errored.stack) });
}
