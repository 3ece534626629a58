import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isExpired } from "../access/token.ts";
import { type Database, dataVersion } from "../db/database.ts";
import { changesSoFar, isCurrent, type Stamp, stampOf, watchCommits } from "../db/revision.ts";
import { watchReads } from "../db/statement.ts";
import { ApiError } from "../lib/api-error.ts";
import { nextTurn, oneAtATime } from "../lib/background.ts";
import type { Log } from "../lib/logger.ts";
import { toJson } from "../lib/raw-json.ts";
import { toApiError } from "./failure.ts";
import { logError, stopping } from "./listener.ts";
import type { Message, MessageBatch } from "./operation.ts";
import { credentialsOf } from "./origin.ts";

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

interface StreamOptions {
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

/** How often credentials are checked for expiry, in milliseconds. */
const TICK_MS = 1000;

/** Clients and most proxies give up on a connection after a minute of silence. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = Buffer.from(":\n\n");

/** A client that has read nothing for this many heartbeats is disconnected. */
const MAX_MISSED = 4;

/** Open channels, by the request and credential that their readers share. */
type Channels = Map<string, Channel>;

/**
 * Keeps open channels alive: readers are sent new messages and heartbeats, and are disconnected when they lose access.
 * One timer and one watch serve all channels.
 * @returns a function that starts it, and returns one that stops it again
 */
function createPulse(db: Database, log: Log, channels: Channels, onTick: () => void) {
  const wake = oneAtATime(() => updateChannels(db, log, channels));
  const beat = oneAtATime(() => keepAlive(channels));
  let ticks = 0;
  const tick = () => {
    onTick();
    if ([...channels.values()].some(({ until }) => isExpired(until))) wake();
    if (++ticks % (HEARTBEAT_MS / TICK_MS) === 0) beat();
  };
  return () => {
    const unwatch = watchCommits(db, wake);
    const timer = setInterval(tick, TICK_MS).unref();
    return () => {
      unwatch();
      clearInterval(timer);
    };
  };
}

function endChannel(channels: Channels, key: string, { readers }: Channel) {
  channels.delete(key);
  for (const { response } of readers) endResponse(response);
}

async function updateChannels(db: Database, log: Log, channels: Channels) {
  for (const [key, channel] of channels) {
    if (isUpToDate(db, channel)) continue;
    await nextTurn();
    await broadcast(db, channel).catch((error) => {
      logError(log, toApiError(error));
      endChannel(channels, key, channel);
    });
  }
}

async function keepAlive(channels: Channels) {
  for (const { readers } of channels.values()) await forEach(readers, sendHeartbeat);
}

function sendHeartbeat(reader: Reader) {
  const { response } = reader;
  if (!response.writableNeedDrain) response.write(HEARTBEAT);
  else if (++reader.missed >= MAX_MISSED) response.destroy();
}

/** Ends without waiting for a client that does not read. */
function endResponse(response: ServerResponse) {
  if (response.writableNeedDrain) response.destroy();
  else response.end();
}

/** The first message for an application can be megabytes. */
const MAX_CACHED = 20;

/**
 * Caches the first batch of a stream, for a second. After a restart many clients connect at once and get the same bytes;
 * producing those of 5,000 flags takes 6 ms.
 */
function createOpeningCache(db: Database) {
  const batches = new Map<string, PollResult>();
  return {
    /** @param key shared by callers with the same request and credential @throws as `poll` does */
    get(key: string, poll: Poll, since: string | undefined): PollResult {
      const id = `${since} ${key}`;
      const found = batches.get(id);
      if (found && isUpToDate(db, found)) return found;
      const result = pollNow(db, poll, since);
      if (batches.has(id) || batches.size < MAX_CACHED) batches.set(id, result);
      return result;
    },
    clear: () => batches.clear(),
  };
}

interface EncodedBatch extends Omit<MessageBatch, "messages"> {
  bytes: Buffer;
  /** When the credential expires, RFC 3339; null for never. */
  until: string | null;
}

/** Reads everything after a position, as of now. @throws ApiError if this caller has lost access */
export type Poll = (since: string | undefined) => EncodedBatch;

interface Reader {
  readonly response: ServerResponse;
  position: string;
  /** Still catching up at its own pace, and left out of broadcasts. */
  isBehind: boolean;
  /** Heartbeats that came due before it had read everything sent. */
  missed: number;
}

/** Readers that make the same request with the same credential: one query serves all, and all get the same bytes. */
interface Channel {
  readonly poll: Poll;
  readonly readers: Set<Reader>;
  position: string;
  /** The tables the last batch was read from, and the data version at that point. */
  stamp: Stamp;
  version: number;
  until: string | null;
}

/** How many clients are written to before yielding to the event loop. */
const BATCH_SIZE = 50;

/** A batch, and what is needed to tell whether it is still current. */
type PollResult = ReturnType<typeof pollNow>;

/** Polls, and notes what the batch was read from. @throws as `poll` does */
function pollNow(db: Database, poll: Poll, since: string | undefined) {
  const [changes, version] = [changesSoFar(), dataVersion(db)];
  const { result, readings } = watchReads(() => poll(since));
  const stamp = stampOf(new Set([...readings].flatMap(({ tables }) => tables)), changes);
  return { ...result, stamp, version };
}

/** A channel for readers that have received this batch. */
function createChannel(poll: Poll, { bytes, isMore, ...rest }: PollResult): Channel {
  return { poll, readers: new Set(), ...rest };
}

/** Whether nothing can be new and the readers may still listen. */
const isUpToDate = (db: Database, { stamp, version, until }: Omit<PollResult, "bytes">) =>
  version === dataVersion(db) && isCurrent(db, stamp) && !isExpired(until);

/** Sends all readers the new messages. @throws as `poll` does */
async function broadcast(db: Database, channel: Channel) {
  for (;;) {
    const from = channel.position;
    const { bytes, isMore = false, ...rest } = pollNow(db, channel.poll, from);
    Object.assign(channel, rest);
    await forEach(channel.readers, (reader) => {
      if (reader.isBehind || reader.position === channel.position) return;
      if (reader.position === from) send(reader, bytes, channel.position);
      if (reader.position !== channel.position || reader.response.writableNeedDrain)
        void follow(channel, reader);
    });
    if (!isMore) return;
  }
}

/** In batches, so that other work gets a turn. */
async function forEach(readers: Iterable<Reader>, act: (reader: Reader) => void) {
  let count = 0;
  for (const reader of readers) {
    if (++count % BATCH_SIZE === 0) await nextTurn();
    act(reader);
  }
}

/** Feeds one reader as fast as it reads, until it has caught up and can rejoin the broadcasts. */
async function follow(channel: Channel, reader: Reader) {
  const { response } = reader;
  reader.isBehind = true;
  try {
    for (let isMore = true; isMore; ) {
      if (response.writableNeedDrain) await once(response, "drain");
      reader.missed = 0;
      await nextTurn();
      const batch = channel.poll(reader.position);
      send(reader, batch.bytes, batch.position);
      isMore = batch.isMore || response.writableNeedDrain;
    }
  } catch {
    response.end(); // a client that reconnects learns why
  } finally {
    reader.isBehind = false;
  }
}

/** Sends the bytes that bring a reader to a position. */
function send(reader: Reader, bytes: Buffer, position: string) {
  reader.position = position;
  if (bytes.length > 0) reader.response.write(bytes);
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
