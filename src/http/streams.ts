import type { IncomingMessage, ServerResponse } from "node:http";
import { hasEnded } from "../auth/token.ts";
import { watchCommits } from "../db/commits.ts";
import type { Database } from "../db/statement.ts";
import type { Log } from "../log.ts";
import { oneAtATime } from "../one-at-a-time.ts";
import { nextTurn } from "../turn.ts";
import {
  type Ask,
  type Channel,
  createChannel,
  follow,
  forEach,
  isUpToDate,
  type Reader,
  tellAll,
} from "./channel.ts";
import { credentialsOf } from "./credentials.ts";
import { ApiError, toApiError } from "./error.ts";
import { createOpenings } from "./openings.ts";
import { logError, stopping } from "./refuse.ts";

/*
 * All open streams. One timer and one watch serve them all; an idle client costs only its connection.
 */

export interface Streams {
  /**
   * Streams until the client leaves, loses access, or the server stops.
   * @throws ApiError as `ask` does, or if too many clients are listening
   */
  open(request: IncomingMessage, response: ServerResponse, opening: Opening): void;
  /** How many clients listen. */
  count(): number;
  /** Ends all streams and refuses new ones. */
  close(): void;
}

export interface Opening {
  headers: Record<string, string>;
  ask: Ask;
}

/** Beyond this, clients are refused and fall back to polling. */
const MOST = 50_000;

/** How often credentials are checked for expiry, in milliseconds. */
const TICK_MS = 1000;

/** Clients give up on a connection after a minute of silence, and so do most proxies. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = Buffer.from(":\n\n");

/** A client that has read nothing for this many heartbeats is disconnected. */
const PATIENCE = 4;

/** When to reconnect after a lost connection, in milliseconds, spread so that clients don't all return at once. */
const RETRY_MS = { least: 1000, spread: 4000 };

export function createStreams(db: Database, log: Log): Streams {
  const channels = new Map<string, Channel>();
  const openings = createOpenings(db);
  let count = 0;
  let isClosed = false;
  let stop: (() => void) | undefined;

  const start = () => {
    const unwatch = watchCommits(db, wake);
    const timer = setInterval(tick, TICK_MS).unref();
    return () => {
      unwatch();
      clearInterval(timer);
    };
  };

  const end = (key: string, channel: Channel) => {
    channels.delete(key);
    for (const { response } of channel.readers) endResponse(response);
  };

  const tell = async () => {
    for (const [key, channel] of channels) {
      if (isUpToDate(db, channel)) continue;
      await nextTurn();
      await tellAll(db, channel).catch((error) => {
        logError(log, toApiError(error));
        end(key, channel);
      });
    }
  };
  const wake = oneAtATime(tell);

  let ticks = 0;
  const beat = oneAtATime(async () => {
    for (const { readers } of channels.values()) await forEach(readers, keepAlive);
  });
  const tick = () => {
    openings.forget();
    if ([...channels.values()].some(({ until }) => hasEnded(until))) wake();
    if (++ticks % (HEARTBEAT_MS / TICK_MS) === 0) beat();
  };

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
    openings.forget();
  };

  return {
    open(request, response, { headers, ask }) {
      if (isClosed) throw stopping();
      if (count >= MOST) throw tooMany();
      const key = keyOf(request);
      const answer = openings.ask(key, ask, sinceOf(request));
      const { bytes, position, isMore } = answer;
      // The others of a channel continue from here, whatever this one has missed.
      const channel =
        channels.get(key) ?? createChannel(ask, isMore ? openings.ask(key, ask, undefined) : answer);
      response.writeHead(200, headers).write(beginning(position));
      if (bytes.length > 0) response.write(bytes);
      const reader: Reader = { response, position, isBehind: false, missed: 0 };
      enter(key, channel, reader);
      Object.assign(request, { headers: {}, rawHeaders: [] }); // free them: the stream doesn't need them
      if (isMore || response.writableNeedDrain) void follow(channel, reader);
    },
    count: () => count,
    close() {
      isClosed = true;
      for (const [key, channel] of channels) end(key, channel);
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
const beginning = (position: string) =>
  `retry: ${RETRY_MS.least + Math.floor(Math.random() * RETRY_MS.spread)}\nid: ${position}\n\n`;

const tooMany = () =>
  new ApiError("RateLimitError", `${MOST} clients listen already: ask again later, or poll`, {
    headers: { "retry-after": "60" },
  });

/** Ends without waiting for a client that does not read. */
function endResponse(response: ServerResponse) {
  if (response.writableNeedDrain) response.destroy();
  else response.end();
}

function keepAlive(reader: Reader) {
  const { response } = reader;
  if (!response.writableNeedDrain) response.write(HEARTBEAT);
  else if (++reader.missed >= PATIENCE) response.destroy();
}
