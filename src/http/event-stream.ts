import type { Actor } from "../access/actor.ts";
import { toJson, type Wire } from "../lib/raw-json.ts";

/*
 * Server-sent events. Messages are queried afresh each time, from a position in a history and with the listener's
 * current permissions, so the position is a listener's only state.
 */

export interface Message<T = unknown> {
  /** What a reconnecting client sends as the last ID it received. */
  id: string;
  /** The event name that clients listen for; `message` if left out. */
  event?: string;
  data: Wire<T>;
}

/** The messages after a position. */
export interface MessageBatch<T = unknown> {
  messages: ReadonlyArray<Message<T>>;
  /** Where to continue from; in an append-only history a position is never reused. */
  position: string;
  /** There is more to send right away. */
  isMore?: boolean;
}

/** What a streaming operation returns. */
export class EventStream {
  /** @param since the client's position; undefined for a new one @throws ApiError if the actor may not listen */
  readonly poll: (actor: Actor, since: string | undefined) => MessageBatch;

  constructor(poll: EventStream["poll"]) {
    this.poll = poll;
  }
}

/** Serializes messages. @param root prefixes our own paths */
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
  "x-accel-buffering": "no", // or nginx would buffer messages
};
