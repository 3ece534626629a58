import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "../lib/logger.ts";
import { requireWellFormed } from "./admission.ts";
import { withBodyLimit } from "./body-limit.ts";
import { withErrorBoundary } from "./error-boundary.ts";
import { inTurns } from "./turns.ts";

/** Answers requests on a socket; returns a promise if it continues asynchronously. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Wraps the app's listener, so that no client can occupy it for long and nothing sent can crash it. */
export const guarded = (log: Log, listener: Listener): Listener =>
  inTurns(withErrorBoundary(log, withBodyLimit(admitting(listener))));

const admitting =
  (listener: Listener): Listener =>
  (request, response) => {
    requireWellFormed(request);
    return listener(request, response);
  };
