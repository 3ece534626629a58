import { inGroup } from "../../db/group-commit.ts";
import { bookkeeping, type Database } from "../../db/statement.ts";
import type { Writing } from "../../db/transaction.ts";
import { DAY_MS } from "../../lib/hour.ts";
import { timestamp } from "../../lib/timestamp.ts";
import type { User } from "../users/schema.ts";

/** How long an attempt is kept, in days, and how many that succeeded, and that failed. */
const DAYS = 90;
const MAX_KEPT = 10_000;

const insert = bookkeeping<Omit<SignIn, "user"> & { username: string | null; createdAt: string }>(`
  INSERT INTO sign_ins (created_at, username, method, address, failure)
  VALUES (:createdAt, :username, :method, :address, :failure)`);

const prune = bookkeeping<{ before: string; max: number; failed: 0 | 1 }>(`
  DELETE FROM sign_ins WHERE created_at < :before OR id IN (
    SELECT id FROM sign_ins WHERE (failure IS NOT NULL) = :failed ORDER BY id DESC LIMIT -1 OFFSET :max)`);

/** An attempt to sign in. */
interface SignIn {
  /** Undefined if there is none with the name that was typed. */
  user: Pick<User, "name" | "username" | "email"> | undefined;
  method: "simple" | "link";
  address: string | null;
  /** Null if it succeeded. */
  failure: string | null;
}

/** Adds an attempt to the history, and removes what is too old or too much. */
export function noteSignIn(tx: Writing, { user, ...attempt }: SignIn, now = Date.now()) {
  const username = user ? (user.username ?? user.email ?? user.name) : null;
  insert(tx).run({ ...attempt, username, createdAt: timestamp(now) });
  const before = new Date(now - DAYS * DAY_MS).toISOString();
  prune(tx).run({ before, max: MAX_KEPT, failed: attempt.failure === null ? 0 : 1 });
}

/** The same for an attempt that changes nothing else; if the file can't be written, it is not in the history. */
export const noteFailedSignIn = (db: Database, attempt: SignIn & { failure: string }) =>
  inGroup(db, (tx) => noteSignIn(tx, attempt)).catch(() => {});
