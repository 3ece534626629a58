import type { IncomingMessage, ServerResponse } from "node:http";
import type { Database } from "../db/statement.ts";
import { ApiError } from "../lib/api-error.ts";
import type { Log } from "../lib/logger.ts";
import { type Channel, createChannel, follow, type Poll, type Reader } from "./channel.ts";
import { credentialsOf } from "./credentials.ts";
import { createOpeningCache } from "./opening-cache.ts";
import { type Channels, createPulse, endChannel } from "./pulse.ts";
import { stopping } from "./refuse.ts";

/** All open streams. An idle client costs only its connection. */
export interface Streams {
  /**
   * Streams until the client leaves, loses access, or the server stops.
   * @throws ApiError as `poll` does, or if too many clients are listening
   */
  open(request: IncomingMessage, response: ServerResponse, options: StreamOptions): void;
  /** How many clients are listening. */
  count(): number;
  /** Ends all streams and refuses new ones. */
  close(): void;
}

export interface StreamOptions {
  headers: Record<string, string>;
  poll: Poll;
}

/** Beyond this, clients are refused and fall back to polling. */
const MAX_CLIENTS = 50_000;

/** When to reconnect after a lost connection, in milliseconds, spread so that clients don't all return at once. */
const RETRY_MS = { least: 1000, spread: 4000 };

export function createStreams(db: Database, log: Log): Streams {
  const channels: Channels = new Map();
  const openingCache = createOpeningCache(db);
  const start = createPulse(db, log, channels, openingCache.clear);
  let count = 0;
  let isClosed = false;
  let stop: (() => void) | undefined;

  const enter = (key: string, channel: Channel, reader: Reader) => {
    count++;
    channels.set(key, channel);
    channel.readers.add(reader);
    reader.response.once("close", () => leave(key, channel, reader));
    stop ??= start();
  };

  const leave = (key: string, channel: Channel, reader: Reader) => {
    count--;
    channel.readers.delete(reader);
    if (channel.readers.size === 0 && channels.get(key) === channel) channels.delete(key);
    if (count > 0) return;
    stop?.();
    stop = undefined;
    openingCache.clear();
  };

  return {
    open(request, response, { headers, poll }) {
      if (isClosed) throw stopping();
      if (count >= MAX_CLIENTS) throw tooMany();
      const key = keyOf(request);
      const first = openingCache.get(key, poll, sinceOf(request));
      const { bytes, position, isMore } = first;
      // The channel's other readers continue from here, whatever this one has missed.
      const channel =
        channels.get(key) ?? createChannel(poll, isMore ? openingCache.get(key, poll, undefined) : first);
      response.writeHead(200, headers).write(openingText(position));
      if (bytes.length > 0) response.write(bytes);
      const reader: Reader = { response, position, isBehind: false, missed: 0 };
      enter(key, channel, reader);
      Object.assign(request, { headers: {}, rawHeaders: [] }); // free them: the stream doesn't need them
      if (isMore || response.writableNeedDrain) void follow(channel, reader);
    },
    count: () => count,
    close() {
      isClosed = true;
      for (const [key, channel] of channels) endChannel(channels, key, channel);
    },
  };
}

/** The position a reconnecting client sends. */
function sinceOf({ headers }: IncomingMessage) {
  const since = headers["last-event-id"];
  return typeof since === "string" && since !== "" ? since : undefined;
}

/** The same for callers with the same request and credential. */
const keyOf = (request: IncomingMessage) => JSON.stringify([request.url, ...credentialsOf(request)]);

/** Sent first, so that a client that reconnects before any message also has a position to send. */
const openingText = (position: string) =>
  `retry: ${RETRY_MS.least + Math.floor(Math.random() * RETRY_MS.spread)}\nid: ${position}\n\n`;

const tooMany = () =>
  new ApiError("RateLimitError", `${MAX_CLIENTS} clients are already listening: try again later, or poll`, {
    headers: { "retry-after": "60" },
  });
