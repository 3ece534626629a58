import type { Actor } from "../../access/actor.ts";
import type { Pictured } from "../../access/avatar.ts";
import { countGuess } from "../../access/guesses.ts";
import { hashPassword, isOutdated, isPassword } from "../../access/password.ts";
import { brokenRules } from "../../access/password-rules.ts";
import { ROLES } from "../../access/permissions.ts";
import type { Database } from "../../db/statement.ts";
import { ApiError, invalid } from "../../lib/api-error.ts";
import { isLookalike } from "./lookalike-store.ts";
import type { User } from "./schema.ts";
import { hasOtherAdmin, passwordHashOf, userByEmail, userById, userToSignIn } from "./store.ts";

/** The user with this e-mail address, in any letter case; undefined if there is none. */
export const findUserByEmail = userByEmail;

/** The user who can sign in with this name. */
export const findUserToSignIn = (db: Database, name: string) => userToSignIn(db, name)?.user;

/**
 * The user with this password and this username, or e-mail address in any letter case; with a new hash of the password
 * if the stored one is weaker than today's. Takes just as long if there is no such user.
 * @throws ApiError `PasswordMismatch`, or `RateLimitError` after too many wrong passwords
 */
export async function requireSignIn(
  db: Database,
  { username, password, address }: { username: string; password: string; address: string | undefined },
): Promise<Proof & { user: Pictured<User>; freshHash: string | null }> {
  const forgive = countGuess(db, { who: username, address });
  const found = userToSignIn(db, username);
  if (!(await isPassword(password, found?.passwordHash ?? null)))
    throw new ApiError("PasswordMismatch", "There is no user with this name and password");
  forgive();
  const freshHash = isOutdated(found!.passwordHash!) ? await hashPassword(password) : null;
  return { user: found!.user, passwordHash: found!.passwordHash!, freshHash };
}

/** The hash that the password matched, for checking again in the transaction. */
export interface Proof {
  passwordHash: string;
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
  const passwordHash = passwordHashOf(db, userId) ?? null;
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

/** The user behind an actor, or the service account. */
export const requireOwnUser = (db: Database, id: number): Pictured<User> => userById(db, id)!;

/** A user by id; service accounts don't count. @throws ApiError `NotFoundError` */
export function requireUser(db: Database, id: number): Pictured<User> {
  const user = userById(db, id);
  if (user?.accountType === "User") return user;
  throw new ApiError("NotFoundError", "There is no user with this id");
}

/** @throws ApiError `NotFoundError` unless there is a user or a service account with this id */
export function requireAnyUser(db: Database, id: number) {
  if (!userById(db, id)) throw new ApiError("NotFoundError", "There is no user with this id");
}

/** Checks that there would still be an Admin without this user. @throws ApiError `InvalidOperationError` */
export function requireAnotherAdmin(db: Database, id: number) {
  if (userById(db, id)?.rootRole !== ROLES.admin || hasOtherAdmin(db, id)) return;
  throw new ApiError("InvalidOperationError", "This is the only Admin: make someone else an Admin first");
}

/** @throws ApiError `InvalidOperationError` for oneself and for the last Admin */
export function requireRemovable(db: Database, { userId }: Actor, id: number) {
  if (id === userId) throw new ApiError("InvalidOperationError", "You can't delete yourself");
  requireAnotherAdmin(db, id);
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

function passwordUndefined() {
  const message = "must not be empty";
  const details = [{ path: "body.password", message, validationErrors: [] }];
  return new ApiError("PasswordUndefinedError", `body.password: ${message}`, { details });
}

/** @throws ApiError `PasswordPreviouslyUsedError` for the user's current password */
export async function requireOtherPassword(db: Database, userId: number, password: string) {
  const passwordHash = passwordHashOf(db, userId) ?? null;
  if (passwordHash === null || !(await isPassword(password, passwordHash))) return;
  throw new ApiError("PasswordPreviouslyUsedError", "body.password: is the same as the current one");
}

interface Names {
  username: string | null;
  email: string | null;
}

/** @throws ApiError `ValidationError` if another user has the username or e-mail address (original: 400) */
export function requireFreeNames(db: Database, { username, email }: Names, exceptId?: number) {
  const message = "another user has it, or one that looks the same";
  if (isTaken(db, username, exceptId)) throw invalid({ path: "body.username", message });
  if (isTaken(db, email, exceptId)) throw invalid({ path: "body.email", message });
}

/** The same for a service account. @throws ApiError `NameExistsError` (original: 409) */
export function requireFreeUsername(db: Database, username: string) {
  if (isTaken(db, username))
    throw new ApiError("NameExistsError", "body.username: another user has it, or one that looks the same");
}

/** Whether another user has this name, or one that looks the same. */
export const isTaken = (db: Database, name: string | null, exceptId?: number) =>
  name !== null && isLookalike(db, name, exceptId);
