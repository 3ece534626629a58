import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { isExpired } from "../access/token.ts";
import { type Database, dataVersion } from "../db/database.ts";
import { changesSoFar, isCurrent, type Stamp, stampOf } from "../db/revision.ts";
import { watchReads } from "../db/statement.ts";
import { nextTurn } from "../lib/background.ts";
import { toJson } from "../lib/raw-json.ts";
import type { Message, MessageBatch } from "./operation.ts";

/** The messages to send next, serialized. */
interface EncodedBatch extends Omit<MessageBatch, "messages"> {
  bytes: Buffer;
  /** When the credential expires, RFC 3339; null for never. */
  until: string | null;
}

/** Reads everything after a position, as of now. @throws ApiError if this caller has lost access */
export type Poll = (since: string | undefined) => EncodedBatch;

/** A listening client. */
export interface Reader {
  readonly response: ServerResponse;
  position: string;
  /** Still catching up at its own pace, and left out of broadcasts. */
  isBehind: boolean;
  /** Heartbeats that came due before it had read everything sent. */
  missed: number;
}

/** Readers that make the same request with the same credential: one query serves all, and all get the same bytes. */
export interface Channel {
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
export type PollResult = ReturnType<typeof pollNow>;

/** Polls, and notes what the batch was read from. @throws as `poll` does */
export function pollNow(db: Database, poll: Poll, since: string | undefined) {
  const [changes, version] = [changesSoFar(), dataVersion(db)];
  const { result, readings } = watchReads(() => poll(since));
  const stamp = stampOf(new Set([...readings].flatMap(({ tables }) => tables)), changes);
  return { ...result, stamp, version };
}

/** A channel for readers that have received this batch. */
export function createChannel(poll: Poll, { bytes, isMore, ...rest }: PollResult): Channel {
  return { poll, readers: new Set(), ...rest };
}

/** Whether nothing can be new and the readers may still listen. */
export const isUpToDate = (db: Database, { stamp, version, until }: Omit<PollResult, "bytes">) =>
  version === dataVersion(db) && isCurrent(db, stamp) && !isExpired(until);

/** Sends all readers the new messages. @throws as `poll` does */
export async function broadcast(db: Database, channel: Channel) {
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
export async function forEach(readers: Iterable<Reader>, act: (reader: Reader) => void) {
  let count = 0;
  for (const reader of readers) {
    if (++count % BATCH_SIZE === 0) await nextTurn();
    act(reader);
  }
}

/** Feeds one reader as fast as it reads, until it has caught up and can rejoin the broadcasts. */
export async function follow(channel: Channel, reader: Reader) {
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
