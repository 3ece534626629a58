import { inTurn } from "../turn.ts";
import type { Listener } from "./listener.ts";

/** Answers each request when it is its turn, unless its client has gone by then. */
export function inTurns(listener: Listener): Listener {
  return (request, response) => inTurn(() => response.destroyed || listener(request, response));
}
