import * as v from "valibot";
import { countGuess } from "../access/guesses.ts";
import { hashPassword } from "../access/password.ts";
import { requirePerson } from "../access/require-permission.ts";
import { GET, POST } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import {
  requireOtherPassword,
  requireOwnPassword,
  requireStillPassword,
  requireStrongPassword,
  setPassword,
  WEAK_PASSWORD,
} from "./passwords.ts";
import { createReset, deliverLink, requireLinkDelivery, requireReset, resetPage } from "./resets.ts";
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

const passwordCheck = {
  summary: "Check whether a password is strong enough",
  permission: null,
  body: v.object({ password: v.string() }),
  errors: WEAK_PASSWORD,
} as const;

export const checkUserPassword = POST({
  ...passwordCheck,
  id: "validateUserPassword",
  tag: "Users",
  path: "/api/admin/user-admin/validate-password",
}).run(({ body: { password } }) => requireStrongPassword(password));

export const checkResetPassword = POST({
  ...passwordCheck,
  id: "validatePassword",
  tag: "Sessions",
  path: "/auth/reset/validate-password",
}).run(({ body: { password } }) => requireStrongPassword(password));

export const changeOwnPassword = POST({
  id: "changeMyPassword",
  summary: "Change the caller's password and end all other sessions",
  tag: "The caller",
  path: "/api/admin/user/change-password",
  permission: null,
  body: PasswordChange,
  errors: [...WEAK_PASSWORD, "PasswordPreviouslyUsedError", "PasswordMismatch", "RateLimitError"],
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
}).change(({ tx, body: { id } }) => {
  const found = userToSignIn(tx.db, id);
  if (!found) throw new ApiError("NotFoundError", "body.id: no user has this e-mail address or username");
  return { resetPasswordUrl: resetPage(createReset(tx, found.user.id)) };
});

export const mailReset = POST({
  id: "sendResetPasswordEmail",
  summary: "Request a link for setting one's password; the response is the same for unknown addresses",
  tag: "Sessions",
  path: "/auth/reset/password-email",
  permission: null,
  body: v.object({ email: v.string() }),
  errors: ["NotFoundError", "RateLimitError"],
  isUncached: true,
}).run(({ db, address, body: { email } }) => {
  const delivery = requireLinkDelivery(db);
  countGuess(db, { who: email, address });
  deliverLink(db, email, delivery); // not awaited: the time it takes would reveal whether the address is known
});

export const readReset = GET({
  id: "validateToken",
  summary: "The user whose password a link sets",
  tag: "Sessions",
  path: "/auth/reset/validate",
  permission: null,
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
  id: "changePassword",
  summary: "Set a password through a link, which works once; ends the user's sessions",
  tag: "Sessions",
  path: "/auth/reset/password",
  permission: null,
  body: v.object({ token: v.string(), password: v.string() }),
  errors: [...WEAK_PASSWORD, "PasswordPreviouslyUsedError", "InvalidTokenError"],
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
