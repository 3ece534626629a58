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
import { ApiError, toApiError } from "./error.ts";
import { createOpenings } from "./openings.ts";
import { logError, stopping } from "./refuse.ts";

/*
 * Everybody who listens. One timer and one watch serve all; a client that only listens costs its connection.
 */

export interface Streams {
  /**
   * Answers with a stream that goes on until the client leaves, may not listen any more, or the server stops.
   * @throws ApiError as `ask` does, or where too many listen
   */
  open(request: IncomingMessage, response: ServerResponse, opening: Opening): void;
  /** How many clients listen. */
  count(): number;
  /** Ends them all; whoever comes from now on is sent away. */
  close(): void;
}

export interface Opening {
  headers: Record<string, string>;
  ask: Ask;
}

/** More would fall back to polling, which they can. */
const MOST = 50_000;

/** How often it is looked whether a credential has ended, in milliseconds. */
const TICK_MS = 1000;

/** A client that hears nothing for a minute takes its connection for lost, proxies mostly so. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = Buffer.from(":\n\n");

/** A client that has read nothing for so many heartbeats has gone or is of no use. */
const PATIENCE = 4;

/** When to come again after a connection is lost, in milliseconds: not all at the same time. */
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
      // The others of a channel go on from now, whatever this one has missed.
      const channel =
        channels.get(key) ?? createChannel(ask, isMore ? openings.ask(key, ask, undefined) : answer);
      response.writeHead(200, headers).write(beginning(position));
      if (bytes.length > 0) response.write(bytes);
      const reader: Reader = { response, position, isBehind: false, missed: 0 };
      enter(key, channel, reader);
      Object.assign(request, { headers: {}, rawHeaders: [] }); // nobody needs them for as long as this goes on
      if (isMore || response.writableNeedDrain) void follow(channel, reader);
    },
    count: () => count,
    close() {
      isClosed = true;
      for (const [key, channel] of channels) end(key, channel);
    },
  };
}

/** Where a client was, as it says when it connects again. */
function sinceOf({ headers }: IncomingMessage) {
  const since = headers["last-event-id"];
  return typeof since === "string" && since !== "" ? since : undefined;
}

/** Whoever asks for the same by the same credential. */
const keyOf = ({ headers, url }: IncomingMessage) =>
  JSON.stringify([url, headers.authorization, headers["x-api-key"], headers.cookie]);

/** A client that comes again before it has heard anything says where it was, too. */
const beginning = (position: string) =>
  `retry: ${RETRY_MS.least + Math.floor(Math.random() * RETRY_MS.spread)}\nid: ${position}\n\n`;

const tooMany = () =>
  new ApiError("RateLimitError", `${MOST} clients listen already: ask again later, or poll`, {
    headers: { "retry-after": "60" },
  });

/** A client that does not read is not waited for. */
function endResponse(response: ServerResponse) {
  if (response.writableNeedDrain) response.destroy();
  else response.end();
}

function keepAlive(reader: Reader) {
  const { response } = reader;
  if (!response.writableNeedDrain) response.write(HEARTBEAT);
  else if (++reader.missed >= PATIENCE) response.destroy();
}
