import type { ServerResponse } from "node:http";
import type { Log } from "../log.ts";
import { toApiError } from "./error.ts";
import type { Listener } from "./listener.ts";
import { pathOf } from "./path.ts";
import { refuse } from "./refuse.ts";

/**
 * Whatever a listener throws, at once or later, is one answer and one log line and never the end of the process. So
 * is an answer that breaks off while it is streamed; its client sees that it is not whole.
 */
export const withLastNet =
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
 * A client that hangs up is no failure of ours: the system says so by the call that failed, Node by a reset where the
 * answer was still waiting for the one before it.
 */
function reportBroken(log: Log, { errored, req }: ServerResponse) {
  if (!errored || "syscall" in errored || (errored as NodeJS.ErrnoException).code === "ECONNRESET") return;
  const about = { method: req.method, path: pathOf(req) };
  log({ level: "error", message: "An answer broke off", ...about, cause: String(errored.stack) });
}
