import { type Database, perDatabase } from "../db/database.ts";
import { inGroup } from "../db/group-commit.ts";
import { bookkeeping } from "../db/statement.ts";
import { timestamp } from "../lib/time.ts";
import type { Actor } from "./actor.ts";

/*
 * When tokens and users were last seen. It is noted in memory and written periodically in the background: requests
 * neither wait for it nor fail because of it, and cached responses stay valid.
 */

/** The delay before notes are written, in milliseconds; a crash loses at most this much. */
const WRITE_DELAY_MS = 10_000;

/** The precision, in milliseconds: a frequent caller is written once a minute. */
const PRECISION_MS = 60_000;

type Seen = { id: number; now: string };

const setTokenSeen = bookkeeping<Seen>(`UPDATE tokens SET seen_at = :now WHERE id = :id`);
const setUserSeen = bookkeeping<Seen>(`UPDATE users SET seen_at = :now WHERE id = :id`);

/** When each was last noted, by id, in milliseconds; those in `unwritten` are yet to be written. */
interface Notes {
  tokens: Map<number, number>;
  users: Map<number, number>;
  unwritten: { tokens: Set<number>; users: Set<number> };
}

const notesOf = perDatabase(
  (): Notes => ({
    tokens: new Map(),
    users: new Map(),
    unwritten: { tokens: new Set(), users: new Set() },
  }),
);

/** Notes that the token and the user behind a request were seen. */
export function noteSeen(
  db: Database,
  { tokenId, userId }: Pick<Actor, "tokenId" | "userId">,
  now = Date.now(),
) {
  const notes = notesOf(db);
  const isFirst = notes.unwritten.tokens.size + notes.unwritten.users.size === 0;
  const isNew = [note(notes, "tokens", tokenId, now), note(notes, "users", userId, now)].includes(true);
  if (isFirst && isNew) setTimeout(writeSeen, WRITE_DELAY_MS, db).unref();
}

/** Writes the notes; if the file can't be written now, it keeps the older time. */
export async function writeSeen(db: Database) {
  if (!db.open) return;
  const { tokens, users, unwritten } = notesOf(db);
  const toRows = (ids: Set<number>, times: Map<number, number>) =>
    [...ids].map((id) => ({ id, now: timestamp(times.get(id)) }));
  const rows = { tokens: toRows(unwritten.tokens, tokens), users: toRows(unwritten.users, users) };
  unwritten.tokens.clear();
  unwritten.users.clear();
  await inGroup(db, (tx) => {
    for (const row of rows.tokens) setTokenSeen(tx).run(row);
    for (const row of rows.users) setUserSeen(tx).run(row);
  }).catch(() => {});
}

/** @returns whether there is something new to write */
function note(notes: Notes, kind: "tokens" | "users", id: number | null, now: number): boolean {
  if (id === null || now - (notes[kind].get(id) ?? 0) < PRECISION_MS) return false;
  notes[kind].set(id, now);
  notes.unwritten[kind].add(id);
  return true;
}
