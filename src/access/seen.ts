import { type Database, perDatabase } from "../db/database.ts";
import { inGroup } from "../db/group-commit.ts";
import { bookkeeping } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { timestamp } from "../lib/time.ts";
import type { Actor } from "./actor.ts";
import { prolongSession } from "./session-store.ts";

/*
 * When tokens, users and sessions were last seen. It is noted in memory and written periodically in the background: requests
 * neither wait for it nor fail because of it, and cached responses stay valid.
 */

/** The delay before notes are written, in milliseconds; a crash loses at most this much. */
const WRITE_DELAY_MS = 10_000;

/** The precision, in milliseconds: a frequent caller is written once a minute. */
const PRECISION_MS = 60_000;

type Seen = { id: number; now: string };

const tokenSeen = bookkeeping<Seen>(`UPDATE tokens SET seen_at = :now WHERE id = :id`);
const userSeen = bookkeeping<Seen>(`UPDATE users SET seen_at = :now WHERE id = :id`);

/** How many are remembered; those forgotten are written a little too often. */
const MAX_NOTED = 10_000;

interface Notes {
  /** When each was last noted, by its key, in milliseconds. */
  noted: BoundedMap<string, number>;
  unwritten: Array<(tx: Writing) => void>;
}

const notesOf = perDatabase((): Notes => ({ noted: new BoundedMap(MAX_NOTED), unwritten: [] }));

type Caller = Pick<Actor, "tokenId" | "userId" | "session">;

/** Notes that the token, the user and the session behind a request were seen. */
export function noteSeen(db: Database, { tokenId, userId, session }: Caller, time = Date.now()) {
  const { noted, unwritten } = notesOf(db);
  const isFirst = unwritten.length === 0;
  const now = timestamp(time);
  const note = (key: string, write: (tx: Writing) => void) => {
    if (time - (noted.get(key) ?? 0) < PRECISION_MS) return;
    noted.set(key, time, 1);
    unwritten.push(write);
  };
  if (tokenId !== null) note(`token ${tokenId}`, (tx) => tokenSeen(tx).run({ id: tokenId, now }));
  if (userId !== null) note(`user ${userId}`, (tx) => userSeen(tx).run({ id: userId, now }));
  if (session !== null) note(`session ${session}`, (tx) => prolongSession(tx, session, now));
  if (isFirst && unwritten.length > 0) setTimeout(writeSeen, WRITE_DELAY_MS, db).unref();
}

/** Writes the notes; if the file can't be written now, it keeps the older time. */
export async function writeSeen(db: Database) {
  if (!db.open) return;
  const writes = notesOf(db).unwritten.splice(0);
  await inGroup(db, (tx) => {
    for (const write of writes) write(tx);
  }).catch(() => {});
}
