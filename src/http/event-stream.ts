import type { Actor } from "../auth/actor.ts";
import { toJson, type Wire } from "./raw-json.ts";

/*
 * Server-sent events. What is told is asked for anew each time, by one position in a history and on behalf of who
 * listens as of that moment, so nothing is remembered of whoever listens but where he is.
 */

export interface Message<T = unknown> {
  /** What a client that connects again says it had last. */
  id: string;
  /** What clients tell messages by; `message` where it is left out. */
  event?: string;
  data: Wire<T>;
}

/** What there is to be told after a position. */
export interface Told<T = unknown> {
  messages: ReadonlyArray<Message<T>>;
  /** Where to go on from; in a history that only grows, one position is never another's. */
  position: string;
  /** There is more to be told at once. */
  isMore?: boolean;
}

/** The answer of an operation that goes on telling. */
export class EventStream {
  /** @param since where the client is; undefined for one that begins @throws ApiError where the actor may not listen */
  readonly tell: (actor: Actor, since: string | undefined) => Told;

  constructor(tell: EventStream["tell"]) {
    this.tell = tell;
  }
}

/** Messages as they go out. @param root goes before our own paths */
export const toEventStreamText = (messages: readonly Message[], root: string) =>
  messages
    .map(
      ({ id, event, data }) =>
        `id: ${id}\n${event ? `event: ${event}\n` : ""}data: ${toJson(data, root)}\n\n`,
    )
    .join("");

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "private, no-cache, no-transform",
  "x-content-type-options": "nosniff",
  "x-accel-buffering": "no", // nginx would hold messages back
};
