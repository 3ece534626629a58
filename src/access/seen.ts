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

const SET_SEEN = {
  tokens: bookkeeping<Seen>(`UPDATE tokens SET seen_at = :now WHERE id = :id`),
  users: bookkeeping<Seen>(`UPDATE users SET seen_at = :now WHERE id = :id`),
};

interface Note extends Seen {
  of: keyof typeof SET_SEEN;
}

const notesOf = perDatabase(() => ({
  /** When each was last noted, by id, in milliseconds. */
  tokens: new Map<number, number>(),
  users: new Map<number, number>(),
  unwritten: [] as Note[],
}));

/** Notes that the token and the user behind a request were seen. */
export function noteSeen(
  db: Database,
  { tokenId, userId }: Pick<Actor, "tokenId" | "userId">,
  now = Date.now(),
) {
  const notes = notesOf(db);
  const isFirst = notes.unwritten.length === 0;
  const seen = [["tokens", tokenId] as const, ["users", userId] as const];
  for (const [of, id] of seen) {
    if (id === null || now - (notes[of].get(id) ?? 0) < PRECISION_MS) continue;
    notes[of].set(id, now);
    notes.unwritten.push({ of, id, now: timestamp(now) });
  }
  if (isFirst && notes.unwritten.length > 0) setTimeout(writeSeen, WRITE_DELAY_MS, db).unref();
}

/** Writes the notes; if the file can't be written now, it keeps the older time. */
export async function writeSeen(db: Database) {
  if (!db.open) return;
  const notes = notesOf(db).unwritten.splice(0);
  await inGroup(db, (tx) => {
    for (const { of, ...seen } of notes) SET_SEEN[of](tx).run(seen);
  }).catch(() => {});
}
