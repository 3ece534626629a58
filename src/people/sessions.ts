import * as v from "valibot";
import { countGuess } from "../access/guesses.ts";
import { requirePerson } from "../access/require-permission.ts";
import { beginSession, endSessionsOf, endSessionWith, sessionCookie } from "../access/session-store.ts";
import type { Database } from "../db/database.ts";
import { inGroup } from "../db/group-commit.ts";
import { bookkeeping, fromStored, query, type Stored } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST, WithHeaders } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import { DAY_MS, timestamp } from "../lib/time.ts";
import { Timestamp } from "../lib/validation.ts";
import { refreshPasswordHash, requirePasswordsOn, requireSignIn, requireStillPassword } from "./passwords.ts";
import { revokeReset } from "./resets.ts";
import {
  codeError,
  enableFactor,
  factorOf,
  isRequired,
  noteWrongCode,
  requireCode,
  useCode,
} from "./second-factor-store.ts";
import { User, UserId } from "./users-schema.ts";
import { markSeen, requireUser, userToSignIn } from "./users-store.ts";

/**
 * The user who has just signed in; unlike elsewhere, without the role (original). With recovery codes, shown only once, if
 * the sign-in has enabled the second factor that a role requires.
 */
export const SignedIn = v.strictObject({
  ...v.omit(User, ["rootRole"]).entries,
  recoveryCodes: v.optional(v.array(v.string())),
});

/** The code of an authenticator app, or a recovery code, is needed by users who have a second factor. */
export const PasswordSignIn = v.object({
  username: v.string(),
  password: v.string(),
  code: v.optional(v.string()),
});

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
  body: PasswordSignIn,
  errors: [
    "PasswordMismatch",
    "SecondFactorRequired",
    "SecondFactorSetupRequired",
    "DisabledError",
    "RateLimitError",
  ],
  records: ["second-factor-added"],
  response: SignedIn,
  example: { username: "robin", password: "four horses graze quietly 4!" },
})
  .prepare(async ({ db, address, body }) => {
    const checked = await checkedPassword(db, body, address);
    await checkCode(db, checked.user, body.code, address);
    return checked;
  })
  .change(({ tx, address = null, isSecure, body, prepared: { user: signedIn, freshHash, ...proof } }) => {
    const { rootRole: _, ...user } = signedIn;
    requirePasswordsOn(tx.db);
    requireStillPassword(tx.db, user.id, proof);
    const codes = passSecondFactor(tx, signedIn, body.code);
    markSeen(tx, user.id);
    noteSignIn(tx, { user, method: "simple", address, failure: null });
    if (freshHash !== null) refreshPasswordHash(tx, user.id, freshHash);
    const cookie = sessionCookie(beginSession(tx, user.id), isSecure);
    const signedInNow = { ...user, seenAt: tx.now, ...(codes && { recoveryCodes: codes }) };
    return new WithHeaders(signedInNow, { "set-cookie": cookie });
  });

/** The user with this name and password; a wrong one is added to the history. @throws as `requireSignIn` */
export async function checkedPassword(
  db: Database,
  { username, password }: { username: string; password: string },
  address: string | undefined,
) {
  try {
    return await requireSignIn(db, { username, password, address });
  } catch (error) {
    const user = userToSignIn(db, username)?.user;
    if (error instanceof ApiError && error.name === "PasswordMismatch")
      await noteFailure(db, { user, address, failure: user ? "Wrong password" : "Unknown user" });
    throw error;
  }
}

/** Whoever has a second factor, or must have one, needs a code. */
const needsCode = (db: Database, { id }: User) => Boolean(factorOf(db, id)?.enabledAt) || isRequired(db, id);

/**
 * Checks the second factor as long as nothing is written; a wrong code counts like a wrong password, and is kept.
 * @throws ApiError `SecondFactorRequired`, `SecondFactorSetupRequired` or `RateLimitError`
 */
export async function checkCode(
  db: Database,
  user: User,
  code: string | undefined,
  address: string | undefined,
) {
  if (!needsCode(db, user)) return;
  if (code === undefined) throw missingCode(db, user);
  const forgive = countGuess(db, { who: user.id, address });
  try {
    requireCode(db, user.id, code);
  } catch (error) {
    await noteFailure(db, { user, address, failure: "Wrong code" });
    throw error;
  }
  forgive();
}

const missingCode = (db: Database, { id }: User) =>
  factorOf(db, id)?.enabledAt
    ? codeError("body.code: enter the code that your authenticator app shows, or a recovery code")
    : new ApiError(
        "SecondFactorSetupRequired",
        "Your role requires a second factor: add a key to an authenticator app, then enter its code",
      );

/** Uses the code up. @returns recovery codes, if it is the first one of a second factor that a role requires */
function passSecondFactor(tx: Tx, user: User, code: string | undefined): string[] | undefined {
  if (!needsCode(tx.db, user)) return undefined;
  if (code === undefined) throw missingCode(tx.db, user);
  if (!factorOf(tx.db, user.id)?.enabledAt) return enableFactor(tx, user, code);
  useCode(tx, user.id, code);
  return undefined;
}

/**
 * Adds a failure to the history; if the file can't be written, it isn't there. Refusals of too many attempts are not
 * added: they would drive out the others.
 */
async function noteFailure(
  db: Database,
  { address = null, ...attempt }: Pick<Attempt, "user" | "failure"> & { address?: string | null | undefined },
) {
  await inGroup(db, (tx) => {
    noteSignIn(tx, { ...attempt, method: "simple", address });
    if (attempt.user && attempt.failure === "Wrong code") noteWrongCode(tx, attempt.user.id);
  }).catch(() => {});
}

const ofSessions = { tag: "Sessions", path: "/api/admin/user/sessions", permission: null } as const;

export const listSessions = GET({
  ...ofSessions,
  id: "getSessions",
  summary: "The caller's sessions, newest first",
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
  ...ofSessions,
  id: "endOtherSessions",
  summary: "End the caller's other sessions, and revoke the links that could begin others",
  duringMaintenance: true,
}).change(({ tx, actor }) => {
  const id = requirePerson(actor);
  endSessionsOf(tx, id, actor.session);
  revokeReset(tx, id);
});

export const endOwnSession = DELETE({
  ...ofSessions,
  id: "endSession",
  summary: "End one of the caller's sessions",
  path: `${ofSessions.path}/:id`,
  duringMaintenance: true,
  errors: ["NotFoundError"],
}).change(({ tx, actor, params: { id } }) => {
  const session = openSessions(tx.db, requirePerson(actor)).find((session) => sessionId(session) === id);
  if (!session) throw new ApiError("NotFoundError", `You have no session ${id}`);
  endSessionWith(tx, session.hash);
});

export const endSessionsOfUser = DELETE({
  id: "endUserSessions",
  summary: "End all sessions of a user, and revoke the links that could begin others; tokens stay",
  tag: "Sessions",
  path: "/api/admin/user-admin/:id/sessions",
  permission: "ADMIN",
  params: v.object({ id: UserId }),
  duringMaintenance: true,
  errors: ["NotFoundError"],
}).change(({ tx, params: { id } }) => {
  requireUser(tx.db, id);
  endSessionsOf(tx, id);
  revokeReset(tx, id);
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
