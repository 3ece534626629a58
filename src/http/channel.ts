import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { hasEnded } from "../auth/token.ts";
import { dataVersion } from "../db/data-version.ts";
import { changesSoFar, isCurrent, type Stamp, stampOf } from "../db/revision.ts";
import type { Database } from "../db/statement.ts";
import { watchReads } from "../db/watch.ts";
import { nextTurn } from "../turn.ts";
import type { Told } from "./event-stream.ts";

/** The messages to send next, serialized. */
export interface Bytes extends Omit<Told, "messages"> {
  bytes: Buffer;
  /** When the credential expires, RFC 3339; null for never. */
  until: string | null;
}

/** Asks for everything after a position, as of now. @throws ApiError if this caller may no longer have it */
export type Ask = (since: string | undefined) => Bytes;

/** A listening client. */
export interface Reader {
  readonly response: ServerResponse;
  position: string;
  /** It catches up at its own pace and is left out of broadcasts. */
  isBehind: boolean;
  /** Heartbeats that came due before it had read everything sent. */
  missed: number;
}

/** Readers that make the same request with the same credential: one query serves all, and all get the same bytes. */
export interface Channel {
  readonly ask: Ask;
  readonly readers: Set<Reader>;
  position: string;
  /** What the last answer was read from, and the state of other processes' changes at that point. */
  stamp: Stamp;
  version: number;
  until: string | null;
}

/** How many clients are written to before yielding to the event loop. */
const AT_ONCE = 50;

/** An answer, and what is needed to tell whether it is still current. */
export type Answer = ReturnType<typeof askNow>;

/** Asks, and notes what the answer was read from. @throws as `ask` does */
export function askNow(db: Database, ask: Ask, since: string | undefined) {
  const [changes, version] = [changesSoFar(), dataVersion(db)];
  const { result, readings } = watchReads(() => ask(since));
  const stamp = stampOf(new Set([...readings].flatMap(({ tables }) => tables)), changes);
  return { ...result, stamp, version };
}

/** A channel for readers that have received this answer. */
export function createChannel(ask: Ask, { bytes, isMore, ...rest }: Answer): Channel {
  return { ask, readers: new Set(), ...rest };
}

/** Whether there can be nothing new, and the readers may still listen. */
export const isUpToDate = (db: Database, { stamp, version, until }: Omit<Answer, "bytes">) =>
  version === dataVersion(db) && isCurrent(db, stamp) && !hasEnded(until);

/** Sends all readers what is new. @throws as `ask` does */
export async function tellAll(db: Database, channel: Channel) {
  for (;;) {
    const from = channel.position;
    const { bytes, isMore = false, ...rest } = askNow(db, channel.ask, from);
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
    if (++count % AT_ONCE === 0) await nextTurn();
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
      const answer = channel.ask(reader.position);
      send(reader, answer.bytes, answer.position);
      isMore = answer.isMore || response.writableNeedDrain;
    }
  } catch {
    response.end(); // a client that reconnects is told why
  } finally {
    reader.isBehind = false;
  }
}

/** Sends the bytes that bring a reader to a position. */
function send(reader: Reader, bytes: Buffer, position: string) {
  reader.position = position;
  if (bytes.length > 0) reader.response.write(bytes);
}
