import type { ServerResponse } from "node:http";
import type { Log } from "../log.ts";
import { toApiError } from "./error.ts";
import type { Listener } from "./listener.ts";
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

/** A client that hangs up is no failure of ours: the system says so by the call that failed. */
function reportBroken(log: Log, { errored, req }: ServerResponse) {
  if (!errored || "syscall" in errored) return;
  const { method, url } = req;
  log({ level: "error", message: "An answer broke off", method, path: url, cause: String(errored.stack) });
}
