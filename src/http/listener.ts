import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "../log.ts";
import { requireSound } from "./admission.ts";
import { withLastNet } from "./last-net.ts";
import { cutLeftovers } from "./leftover.ts";
import { inTurns } from "./turns.ts";

/** Answers requests on a socket; what it returns is a promise where it goes on afterwards. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** What stands before an app that listens: nobody can hold it for long, and nothing that is sent can end it. */
export const guarded = (log: Log, listener: Listener): Listener =>
  inTurns(withLastNet(log, cutLeftovers(admitting(listener))));

const admitting =
  (listener: Listener): Listener =>
  (request, response) => {
    requireSound(request);
    return listener(request, response);
  };
