import { inTurn } from "../lib/turn.ts";
import type { Listener } from "./listener.ts";

/** Queues requests for a turn of the event loop, skipping those whose client has disconnected by then. */
export function inTurns(listener: Listener): Listener {
  return (request, response) => inTurn(() => response.destroyed || listener(request, response));
}
