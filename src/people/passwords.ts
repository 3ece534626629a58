import * as v from "valibot";
import { countGuess } from "../access/guesses.ts";
import { brokenRules, hashPassword, isOutdated, isPassword } from "../access/password-hash.ts";
import { requirePerson } from "../access/require-permission.ts";
import { endSessionsOf } from "../access/session-store.ts";
import type { Database } from "../db/database.ts";
import { bookkeeping, command, valueQuery } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { GET, POST } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import { currentSetting, PASSWORDS } from "../settings/settings.ts";
import {
  createReset,
  deliverLink,
  requireLinkDelivery,
  requireReset,
  resetPage,
  revokeReset,
} from "./resets.ts";
import { Role, rootRole } from "./roles.ts";
import { User, UserId } from "./users-schema.ts";
import { requireUser, userToSignIn } from "./users-store.ts";

/** A new password, repeated in case of a typo, and the current one. */
export const PasswordChange = v.pipe(
  v.object({ password: v.string(), confirmPassword: v.string(), oldPassword: v.string() }),
  v.forward(
    v.check(({ password, confirmPassword }) => password === confirmPassword, "must be the same as password"),
    ["confirmPassword"],
  ),
);

/** A link for setting a new password. */
export const ResetLink = v.strictObject({ resetPasswordUrl: v.string() });

/** The user whose password a link sets, and who created the link. */
const OpenReset = v.strictObject({
  ...v.pick(User, ["id", "name", "username", "email"]).entries,
  token: v.string(),
  createdBy: v.string(),
  role: Role,
});

/** What `requireStrongPassword` throws. */
export const WEAK_PASSWORD = ["PasswordUndefinedError", "OwaspValidationError"] as const;

const passwordCheck = {
  summary: "Check whether a password is strong enough",
  permission: null,
  body: v.object({ password: v.string() }),
  errors: WEAK_PASSWORD,
} as const;

const EXAMPLE = "four horses graze quietly 4!";

export const checkUserPassword = POST({
  ...passwordCheck,
  id: "validateUserPassword",
  tag: "Users",
  path: "/api/admin/user-admin/validate-password",
  example: { password: EXAMPLE },
}).run(({ body: { password } }) => requireStrongPassword(password));

export const checkResetPassword = POST({
  ...passwordCheck,
  id: "validatePassword",
  tag: "Sessions",
  path: "/auth/reset/validate-password",
  example: { password: EXAMPLE },
}).run(({ body: { password } }) => requireStrongPassword(password));

export const changeOwnPassword = POST({
  id: "changeMyPassword",
  summary: "Change the caller's password and end all other sessions",
  tag: "The caller",
  path: "/api/admin/user/change-password",
  permission: null,
  body: PasswordChange,
  errors: [...WEAK_PASSWORD, "PasswordPreviouslyUsedError", "PasswordMismatch", "RateLimitError"],
  example: { password: EXAMPLE, confirmPassword: EXAMPLE, oldPassword: "what it was" },
})
  .prepare(async ({ db, actor, address, body: { password, oldPassword } }) => {
    const userId = requirePerson(actor);
    requireStrongPassword(password);
    const proof = await requireOwnPassword(db, { userId, password: oldPassword, address });
    await requireOtherPassword(db, userId, password);
    return { userId, proof, hash: await hashPassword(password) };
  })
  .change(({ tx, actor, prepared: { userId, proof, hash } }) => {
    requireStillPassword(tx.db, userId, proof);
    setPassword(tx, userId, { hash, keptSession: actor.session });
  });

export const changePassword = POST({
  id: "changeUserPassword",
  summary: "Set a user's password and end their sessions",
  tag: "Users",
  path: "/api/admin/user-admin/:id/change-password",
  permission: "ADMIN",
  params: v.object({ id: UserId }),
  body: v.object({ password: v.string() }),
  errors: [...WEAK_PASSWORD, "NotFoundError"],
  example: { password: EXAMPLE },
  exampleParams: { id: "3" },
})
  .prepare(({ db, params: { id }, body: { password } }) => {
    requireStrongPassword(password);
    requireUser(db, id);
    return hashPassword(password);
  })
  .change(({ tx, actor, params: { id }, prepared: hash }) => {
    requireUser(tx.db, id);
    setPassword(tx, id, { hash, keptSession: actor.userId === id ? actor.session : null });
  });

export const createResetLink = POST({
  id: "resetUserPassword",
  summary: "Create a link for a user to set a password, by e-mail address or username; it is shown only once",
  tag: "Users",
  path: "/api/admin/user-admin/reset-password",
  permission: "ADMIN",
  // The original calls the address `id`, and knows no usernames here.
  body: v.object({ id: v.string() }),
  errors: ["NotFoundError"],
  response: ResetLink,
  example: { id: "edith@example.com" },
}).change(({ tx, body: { id } }) => {
  const found = userToSignIn(tx.db, id);
  if (!found) throw new ApiError("NotFoundError", "body.id: no user has this e-mail address or username");
  return { resetPasswordUrl: resetPage(createReset(tx, found.user.id)) };
});

const ofReset = { tag: "Sessions", path: "/auth/reset", permission: null } as const;

export const mailReset = POST({
  ...ofReset,
  id: "sendResetPasswordEmail",
  summary: "Request a link for setting one's password; the response is the same for unknown addresses",
  path: `${ofReset.path}/password-email`,
  body: v.object({ email: v.string() }),
  errors: ["NotFoundError", "RateLimitError"],
  isUncached: true,
  example: { email: "robin@shop.example" },
}).run(({ db, address, body: { email } }) => {
  const delivery = requireLinkDelivery(db);
  countGuess(db, { who: email, address, kind: "link" });
  deliverLink(db, email, delivery); // not awaited: the time it takes would reveal whether the address is known
});

export const readReset = GET({
  ...ofReset,
  id: "validateToken",
  summary: "The user whose password a link sets",
  path: `${ofReset.path}/validate`,
  query: v.object({ token: v.optional(v.string(), "") }),
  errors: ["InvalidTokenError"],
  response: OpenReset,
}).run(({ db, query: { token } }) => {
  const { userId, createdBy } = requireReset(db, token);
  const { id, name, username, email, rootRole: role } = requireUser(db, userId);
  const named = { id, name, username, ...(email !== undefined && { email }) };
  return { ...named, token, createdBy, role: rootRole(db, role) };
});

export const resetPassword = POST({
  ...ofReset,
  id: "changePassword",
  summary: "Set a password through a link, which works once; ends the user's sessions",
  path: `${ofReset.path}/password`,
  body: v.object({ token: v.string(), password: v.string() }),
  errors: [...WEAK_PASSWORD, "PasswordPreviouslyUsedError", "InvalidTokenError"],
  example: { token: "from-the-link", password: EXAMPLE },
})
  .prepare(async ({ db, body: { token, password } }) => {
    requireStrongPassword(password);
    const { userId } = requireReset(db, token); // so that only valid links cost a hash
    await requireOtherPassword(db, userId, password);
    return hashPassword(password);
  })
  .change(({ tx, body: { token }, prepared: hash }) => {
    const { userId } = requireReset(tx.db, token);
    setPassword(tx, userId, { hash });
  });

/** @throws ApiError `DisabledError` */
export function requirePasswordsOn(db: Database) {
  if (!currentSetting(db, PASSWORDS).disabled) return;
  throw new ApiError("DisabledError", "Passwords are switched off: sign in another way, or with a link");
}

/** The hash that the password matched, for checking again in the transaction. */
interface Proof {
  passwordHash: string;
}

/**
 * The user with this password and this username, or e-mail address in any letter case; with a new hash of the password
 * if the stored one is weaker than today's. Takes just as long if there is no such user.
 * @throws ApiError `PasswordMismatch`, `RateLimitError` after too many wrong passwords, or `DisabledError`
 */
export async function requireSignIn(
  db: Database,
  { username, password, address }: { username: string; password: string; address: string | undefined },
): Promise<Proof & { user: User; freshHash: string | null }> {
  requirePasswordsOn(db);
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
async function requireOwnPassword(
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
async function requireOtherPassword(db: Database, userId: number, password: string) {
  const passwordHash = passwordHashOf(db, userId);
  if (passwordHash === null || !(await isPassword(password, passwordHash))) return;
  throw new ApiError("PasswordPreviouslyUsedError", "body.password: is the same as the current one");
}

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
}

/** Replaces the hash with a stronger one of the same password. */
export const refreshPasswordHash = (tx: Tx, id: number, hash: string) =>
  void refreshHash(tx).run({ id, hash });

/** Null if there is no password, or no such user. */
const passwordHashOf = (db: Database, id: number): string | null => hashOf(db).get({ id }) ?? null;

const hashOf = valueQuery<{ id: number }, string | null>(`SELECT password_hash FROM users WHERE id = :id`);

const SET_HASH = `UPDATE users SET password_hash = :hash WHERE id = :id`;

const setHash = command<{ id: number; hash: string }>(SET_HASH);

const refreshHash = bookkeeping<{ id: number; hash: string }>(SET_HASH);

function passwordUndefined() {
  const message = "must not be empty";
  const details = [{ path: "body.password", message, validationErrors: [] }];
  return new ApiError("PasswordUndefinedError", `body.password: ${message}`, { details });
}
