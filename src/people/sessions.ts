import * as v from "valibot";
import { requirePerson } from "../access/require-permission.ts";
import { beginSession, endSessionsOf, endSessionWith, sessionCookie } from "../access/session.ts";
import type { Database } from "../db/database.ts";
import { inGroup } from "../db/group-commit.ts";
import { bookkeeping, fromStored, query, type Stored } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { DELETE, GET, POST, WithHeaders } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import { DAY_MS, timestamp } from "../lib/time.ts";
import { Timestamp } from "../lib/validation.ts";
import { refreshPasswordHash, requireSignIn, requireStillPassword } from "./passwords.ts";
import { User, UserId } from "./users-schema.ts";
import { markSeen, requireUser, userToSignIn } from "./users-store.ts";

/** The user who has just signed in; unlike elsewhere, without the role (original). */
export const SignedIn = v.omit(User, ["rootRole"]);

/** How somebody signs in: by password (`simple`), a link, a provider of identities, or the header of a proxy. */
const METHODS = ["simple", "link", "oidc", "proxy"] as const;

/** An attempt to sign in. The username is empty if it was nobody's. */
export const SignIn = v.strictObject({
  id: v.number(),
  username: v.string(),
  auth_type: v.picklist(METHODS),
  created_at: Timestamp,
  successful: v.boolean(),
  ip: v.nullable(v.string()),
  failure_reason: v.nullable(v.string()),
});
type SignIn = v.InferOutput<typeof SignIn>;

export const SignInHistory = v.strictObject({ events: v.array(SignIn) });

/** One of a user's sessions; `isCurrent` marks the one that sent the request. */
export const Session = v.strictObject({
  id: v.string(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  isCurrent: v.boolean(),
});

export const signIn = POST({
  id: "login",
  summary: "Sign in with a password; sets a session cookie",
  tag: "Sessions",
  path: "/auth/simple/login",
  permission: null,
  duringMaintenance: true,
  body: v.object({ username: v.string(), password: v.string() }),
  errors: ["PasswordMismatch", "RateLimitError"],
  response: SignedIn,
})
  .prepare(async ({ db, address, body }) => {
    try {
      return await requireSignIn(db, { ...body, address });
    } catch (error) {
      await noteWrongPassword(db, body.username, address, error);
      throw error;
    }
  })
  .change(({ tx, address = null, isSecure, prepared: { user: signedIn, freshHash, ...proof } }) => {
    const { rootRole: _, ...user } = signedIn;
    requireStillPassword(tx.db, user.id, proof);
    markSeen(tx, user.id);
    noteSignIn(tx, { user, method: "simple", address, failure: null });
    if (freshHash !== null) refreshPasswordHash(tx, user.id, freshHash);
    const cookie = sessionCookie(beginSession(tx, user.id), isSecure);
    return new WithHeaders({ ...user, seenAt: tx.now }, { "set-cookie": cookie });
  });

/**
 * Adds a wrong password to the history; if the file can't be written, it isn't there. Too many are not added: they would
 * drive out the others.
 */
async function noteWrongPassword(db: Database, name: string, address: string | undefined, error: unknown) {
  if (!(error instanceof ApiError && error.name === "PasswordMismatch")) return;
  const user = userToSignIn(db, name)?.user;
  const failure = user ? "Wrong password" : "Unknown user";
  const attempt = { user, method: "simple", address: address ?? null, failure } as const;
  await inGroup(db, (tx) => noteSignIn(tx, attempt)).catch(() => {});
}

const SESSIONS = "/api/admin/user/sessions";

export const listSessions = GET({
  id: "getSessions",
  summary: "The caller's sessions, newest first",
  tag: "Sessions",
  path: SESSIONS,
  permission: null,
  isUncached: true,
  response: v.strictObject({ sessions: v.array(Session) }),
}).run(({ db, actor }) => {
  const open = actor.userId === null ? [] : openSessions(db, actor.userId);
  const toSession = ({ hash, ...times }: SessionRow) => ({
    id: sessionId({ hash }),
    ...times,
    isCurrent: hash === actor.session,
  });
  return { sessions: open.map(toSession) };
});

export const endOtherSessions = DELETE({
  id: "endOtherSessions",
  summary: "End the caller's other sessions",
  tag: "Sessions",
  path: SESSIONS,
  permission: null,
  duringMaintenance: true,
}).change(({ tx, actor }) => void endSessionsOf(tx, requirePerson(actor), actor.session));

export const endOwnSession = DELETE({
  id: "endSession",
  summary: "End one of the caller's sessions",
  tag: "Sessions",
  path: `${SESSIONS}/:id`,
  permission: null,
  duringMaintenance: true,
  errors: ["NotFoundError"],
}).change(({ tx, actor, params: { id } }) => {
  const session = openSessions(tx.db, requirePerson(actor)).find((session) => sessionId(session) === id);
  if (!session) throw new ApiError("NotFoundError", `You have no session ${id}`);
  endSessionWith(tx, session.hash);
});

export const endSessionsOfUser = DELETE({
  id: "endUserSessions",
  summary: "End all sessions of a user; tokens stay",
  tag: "Sessions",
  path: "/api/admin/user-admin/:id/sessions",
  permission: "ADMIN",
  params: v.object({ id: UserId }),
  duringMaintenance: true,
  errors: ["NotFoundError"],
}).change(({ tx, params: { id } }) => {
  requireUser(tx.db, id);
  endSessionsOf(tx, id);
});

interface SessionRow {
  /** The hash of its secret. */
  hash: string;
  createdAt: string;
  expiresAt: string;
}

/** A user's open sessions, newest first. */
const openSessions = (db: Database, userId: number) => sessionsOf(db).all({ userId, now: timestamp() });

const sessionsOf = query<{ userId: number; now: string }, SessionRow>(`
  SELECT hash, created_at AS createdAt, expires_at AS expiresAt FROM sessions
  WHERE user_id = :userId AND expires_at > :now ORDER BY created_at DESC, hash`);

/** The public id of a session, which doesn't reveal its secret. */
const sessionId = ({ hash }: Pick<SessionRow, "hash">) => hash.slice(0, 16);

export const listSignIns = GET({
  id: "getLoginHistory",
  summary: "The attempts to sign in within 90 days, newest first, also as CSV",
  tag: "Sessions",
  path: "/api/admin/logins",
  permission: { permission: ["ADMIN", "READ_LOGS"] },
  response: SignInHistory,
  rows: ({ events }: { events: readonly object[] }) => events,
}).run(({ db }) => ({
  events: signIns(db).all({}).map(fromStored(SignIn)),
}));

const COLUMNS = `id, ifnull(username, '') AS username, method AS auth_type, created_at, failure IS NULL AS successful,
  address AS ip, failure AS failure_reason`;

const signIns = query<object, Stored<SignIn>>(`SELECT ${COLUMNS} FROM sign_ins ORDER BY id DESC`);

export const listOwnSignIns = GET({
  id: "getMyLoginHistory",
  summary: "The latest 20 attempts to sign in as the caller within 90 days, newest first",
  tag: "Sessions",
  path: "/api/admin/user/logins",
  permission: null,
  isUncached: true,
  response: SignInHistory,
}).run(({ db, actor: { userId } }) => ({
  events: userId === null ? [] : signInsOf(db).all({ userId }).map(fromStored(SignIn)),
}));

const signInsOf = query<{ userId: number }, Stored<SignIn>>(`
  SELECT ${COLUMNS} FROM sign_ins WHERE user_id = :userId ORDER BY id DESC LIMIT 20`);

/** How long an attempt is kept, in days, and how many that succeeded, and that failed. */
const DAYS = 90;
const MAX_KEPT = 10_000;

interface NewSignIn extends Omit<Attempt, "user"> {
  createdAt: string;
  userId: number | null;
  username: string | null;
}

const insertSignIn = bookkeeping<NewSignIn>(`
  INSERT INTO sign_ins (created_at, user_id, username, method, address, failure)
  VALUES (:createdAt, :userId, :username, :method, :address, :failure)`);

const prune = bookkeeping<{ before: string; max: number; failed: 0 | 1 }>(`
  DELETE FROM sign_ins WHERE created_at < :before OR id IN (
    SELECT id FROM sign_ins WHERE (failure IS NOT NULL) = :failed ORDER BY id DESC LIMIT -1 OFFSET :max)`);

interface Attempt {
  /** Undefined if there is none with the name that was typed. */
  user: Pick<User, "id" | "name" | "username" | "email"> | undefined;
  method: SignIn["auth_type"];
  address: string | null;
  /** Null if it succeeded. */
  failure: string | null;
}

/** Adds an attempt to sign in to the history, and removes what is too old or too much. */
export function noteSignIn(tx: Writing, { user, ...attempt }: Attempt, now = Date.now()) {
  const username = user ? (user.username ?? user.email ?? user.name) : null;
  insertSignIn(tx).run({ ...attempt, userId: user?.id ?? null, username, createdAt: timestamp(now) });
  const before = new Date(now - DAYS * DAY_MS).toISOString();
  prune(tx).run({ before, max: MAX_KEPT, failed: attempt.failure === null ? 0 : 1 });
}
