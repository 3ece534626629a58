import { countGuess } from "../access/guesses.ts";
import { brokenRules, hashPassword, isOutdated, isPassword } from "../access/password.ts";
import { endSessionsOf, revokeSignInLink } from "../access/session.ts";
import type { Database } from "../db/database.ts";
import { bookkeeping, command, query } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { ApiError } from "../lib/api-error.ts";
import { revokeReset } from "./resets.ts";
import type { User } from "./users-schema.ts";
import { userToSignIn } from "./users-store.ts";

/** The hash that the password matched, for checking again in the transaction. */
interface Proof {
  passwordHash: string;
}

/**
 * The user with this password and this username, or e-mail address in any letter case; with a new hash of the password
 * if the stored one is weaker than today's. Takes just as long if there is no such user.
 * @throws ApiError `PasswordMismatch`, or `RateLimitError` after too many wrong passwords
 */
export async function requireSignIn(
  db: Database,
  { username, password, address }: { username: string; password: string; address: string | undefined },
): Promise<Proof & { user: User; freshHash: string | null }> {
  const forgive = countGuess(db, { who: username, address });
  const found = userToSignIn(db, username);
  if (!(await isPassword(password, found?.passwordHash ?? null)))
    throw new ApiError("PasswordMismatch", "There is no user with this name and password");
  forgive();
  const freshHash = isOutdated(found!.passwordHash!) ? await hashPassword(password) : null;
  return { user: found!.user, passwordHash: found!.passwordHash!, freshHash };
}

/** Checks that the password has not changed since. @throws ApiError `PasswordMismatch` */
export function requireStillPassword(db: Database, userId: number, { passwordHash }: Proof) {
  if (passwordHashOf(db, userId) === passwordHash) return;
  throw new ApiError("PasswordMismatch", "The password has been changed in the meantime");
}

/** Checks a user's current password. @throws ApiError `PasswordMismatch` or `RateLimitError` */
export async function requireOwnPassword(
  db: Database,
  { userId, password, address }: { userId: number; password: string; address: string | undefined },
): Promise<Proof> {
  const forgive = countGuess(db, { who: userId, address });
  const passwordHash = passwordHashOf(db, userId);
  if (!(await isPassword(password, passwordHash)))
    throw new ApiError(
      "PasswordMismatch",
      passwordHash === null
        ? "body.oldPassword: you have no password yet: set one through a password link"
        : "body.oldPassword: is not your password",
    );
  forgive();
  return { passwordHash: passwordHash! };
}

/** @throws ApiError `PasswordPreviouslyUsedError` for the user's current password */
export async function requireOtherPassword(db: Database, userId: number, password: string) {
  const passwordHash = passwordHashOf(db, userId);
  if (passwordHash === null || !(await isPassword(password, passwordHash))) return;
  throw new ApiError("PasswordPreviouslyUsedError", "body.password: is the same as the current one");
}

/** What `requireStrongPassword` throws. */
export const WEAK_PASSWORD = ["PasswordUndefinedError", "OwaspValidationError"] as const;

/** @throws ApiError `PasswordUndefinedError` if it is empty, `OwaspValidationError` listing every rule that it breaks */
export function requireStrongPassword(password: string) {
  if (password === "") throw passwordUndefined();
  const broken = brokenRules(password);
  if (broken.length === 0) return;
  const [first, ...others] = broken.map(({ rule: message }) => ({ path: "body.password", message }));
  const details = [{ ...first!, validationErrors: broken.map(({ known }) => known) }, ...others];
  throw new ApiError("OwaspValidationError", `body.password: ${first!.message}`, { details });
}

/**
 * Sets a password. Ends the user's sessions, except the one that changed it, and revokes links for setting another
 * password or signing in, in case someone else has one. No event is recorded (original).
 */
export function setPassword(
  tx: Tx,
  id: number,
  { hash, keptSession }: { hash: string; keptSession?: string | null },
) {
  setHash(tx).run({ id, hash });
  endSessionsOf(tx, id, keptSession);
  revokeReset(tx, id);
  revokeSignInLink(tx, id);
}

/** Replaces the hash with a stronger one of the same password. */
export const refreshPasswordHash = (tx: Tx, id: number, hash: string) =>
  void refreshHash(tx).run({ id, hash });

/** Null if there is no password, or no such user. */
const passwordHashOf = (db: Database, id: number): string | null => hashOf(db).pluck().get({ id }) ?? null;

const hashOf = query<{ id: number }, string | null>(`SELECT password_hash FROM users WHERE id = :id`);

const SET_HASH = `UPDATE users SET password_hash = :hash WHERE id = :id`;

const setHash = command<{ id: number; hash: string }>(SET_HASH);

const refreshHash = bookkeeping<{ id: number; hash: string }>(SET_HASH);

function passwordUndefined() {
  const message = "must not be empty";
  const details = [{ path: "body.password", message, validationErrors: [] }];
  return new ApiError("PasswordUndefinedError", `body.password: ${message}`, { details });
}
