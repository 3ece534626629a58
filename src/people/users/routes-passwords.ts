import * as v from "valibot";
import { hashPassword } from "../../access/password.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { ApiError } from "../../lib/api-error.ts";
import { createReset, resetPage } from "../resets/changes.ts";
import * as changes from "./changes.ts";
import { requireStrongPassword, requireUser, WEAK_PASSWORD } from "./require.ts";
import { ResetLink, UserId } from "./schema.ts";
import { userToSignIn } from "./store.ts";

const NewPassword = v.object({ password: v.string() });

export const validatePassword = operation({
  id: "validateUserPassword",
  summary: "Check whether a password is strong enough",
  tag: "Users",
  method: "POST",
  path: "/api/admin/user-admin/validate-password",
  permission: null,
  body: NewPassword,
  errors: WEAK_PASSWORD,
  response: NoBody,
}).run(({ body: { password } }) => requireStrongPassword(password));

export const changePassword = operation({
  id: "changeUserPassword",
  summary: "Set a user's password and end their sessions",
  tag: "Users",
  method: "POST",
  path: "/api/admin/user-admin/:id/change-password",
  permission: "ADMIN",
  params: v.object({ id: UserId }),
  body: NewPassword,
  errors: [...WEAK_PASSWORD, "NotFoundError"],
  response: NoBody,
})
  .prepare(({ db, params: { id }, body: { password } }) => {
    requireStrongPassword(password);
    requireUser(db, id);
    return hashPassword(password);
  })
  .change(({ tx, actor, params: { id }, prepared: hash }) => {
    requireUser(tx.db, id);
    changes.setPassword(tx, id, { hash, keptSession: actor.userId === id ? actor.session : null });
  });

export const createResetLink = operation({
  id: "resetUserPassword",
  summary: "Create a link for a user to set a password, by e-mail address or username; it is shown only once",
  tag: "Users",
  method: "POST",
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
