import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { hasEnded } from "../auth/token.ts";
import { changesSoFar, isCurrent, type Stamp, stampOf } from "../db/revision.ts";
import type { Database } from "../db/statement.ts";
import { watchReads } from "../db/watch.ts";
import { nextTurn } from "../turn.ts";
import type { Told } from "./event-stream.ts";

/** What is told at once, as it goes out. */
export interface Bytes extends Omit<Told, "messages"> {
  bytes: Buffer;
  /** When the credential ends, RFC 3339; null for never. */
  until: string | null;
}

/** Asks for what there is after a position, as of now. @throws ApiError where this caller may not have it any more */
export type Ask = (since: string | undefined) => Bytes;

/** A client that listens. */
export interface Reader {
  readonly response: ServerResponse;
  position: string;
  /** It goes on at its own pace, and is not told together with the others. */
  isBehind: boolean;
  /** Heartbeats that were due while it had not read all that was sent. */
  missed: number;
}

/** All that ask for the same by the same credential: the question is asked once, and they are told the same bytes. */
export interface Channel {
  readonly ask: Ask;
  readonly readers: Set<Reader>;
  position: string;
  /** What the last answer was made of, and the state of other processes' changes then. */
  stamp: Stamp;
  version: unknown;
  until: string | null;
}

/** How many clients are written to before others have their turn. */
const AT_ONCE = 50;

/** An answer, and what tells whether it still is the answer. */
export type Answer = ReturnType<typeof askNow>;

/** Asks, and notes what the answer was made of. @throws as `ask` does */
export function askNow(db: Database, ask: Ask, since: string | undefined) {
  const [changes, version] = [changesSoFar(), versionOf(db)];
  const { result, readings } = watchReads(() => ask(since));
  const stamp = stampOf(new Set([...readings].flatMap(({ tables }) => tables)), changes);
  return { ...result, stamp, version };
}

/** A channel of those who have had this answer. */
export function createChannel(ask: Ask, { bytes, isMore, ...rest }: Answer): Channel {
  return { ask, readers: new Set(), ...rest };
}

/** Whether nothing can be new, and those who listen may still do so. */
export const isUpToDate = (db: Database, { stamp, version, until }: Omit<Answer, "bytes">) =>
  version === versionOf(db) && isCurrent(db, stamp) && !hasEnded(until);

/** Tells all readers what there is. @throws as `ask` does */
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

/** Some at a time, so that others have their turn. */
export async function forEach(readers: Iterable<Reader>, act: (reader: Reader) => void) {
  let count = 0;
  for (const reader of readers) {
    if (++count % AT_ONCE === 0) await nextTurn();
    act(reader);
  }
}

/** Goes on with one reader, as fast as it reads, until it can be told together with the others again. */
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
    response.end(); // whoever comes again is told why
  } finally {
    reader.isBehind = false;
  }
}

/** Sends what leads to a position. */
function send(reader: Reader, bytes: Buffer, position: string) {
  reader.position = position;
  if (bytes.length > 0) reader.response.write(bytes);
}

const versionOf = (db: Database) => db.pragma("data_version", { simple: true });
