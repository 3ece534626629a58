import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "../log.ts";
import { requireSound } from "./admission.ts";
import { withLastNet } from "./last-net.ts";
import { cutLeftovers } from "./leftover.ts";
import { inTurns } from "./turns.ts";

/** Answers requests on a socket; returns a promise if it continues asynchronously. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Wraps an app that listens, so that no client can occupy it for long and nothing sent can crash it. */
export const guarded = (log: Log, listener: Listener): Listener =>
  inTurns(withLastNet(log, cutLeftovers(admitting(listener))));

const admitting =
  (listener: Listener): Listener =>
  (request, response) => {
    requireSound(request);
    return listener(request, response);
  };
