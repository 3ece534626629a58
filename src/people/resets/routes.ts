import * as v from "valibot";
import { countGuess } from "../../access/guesses.ts";
import { hashPassword } from "../../access/password.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { rootRole } from "../roles/require.ts";
import { setPassword } from "../users/changes.ts";
import { requireOtherPassword, requireStrongPassword, requireUser, WEAK_PASSWORD } from "../users/require.ts";
import { deliverLink, requireLinkDelivery } from "./changes-delivery.ts";
import { requireReset } from "./require.ts";
import { OpenReset } from "./schema.ts";

export const readReset = operation({
  id: "validateToken",
  summary: "The user whose password a link sets",
  tag: "Sessions",
  method: "GET",
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

export const resetPassword = operation({
  id: "changePassword",
  summary: "Set a password through a link, which works once; ends the user's sessions",
  tag: "Sessions",
  method: "POST",
  path: "/auth/reset/password",
  permission: null,
  body: v.object({ token: v.string(), password: v.string() }),
  errors: [...WEAK_PASSWORD, "PasswordPreviouslyUsedError", "InvalidTokenError"],
  response: NoBody,
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

export const checkNewPassword = operation({
  id: "validatePassword",
  summary: "Check whether a password is strong enough",
  tag: "Sessions",
  method: "POST",
  path: "/auth/reset/validate-password",
  permission: null,
  body: v.object({ password: v.string() }),
  errors: WEAK_PASSWORD,
  response: NoBody,
}).run(({ body: { password } }) => requireStrongPassword(password));

export const mailReset = operation({
  id: "sendResetPasswordEmail",
  summary: "Request a link for setting one's password; the response is the same for unknown addresses",
  tag: "Sessions",
  method: "POST",
  path: "/auth/reset/password-email",
  permission: null,
  body: v.object({ email: v.string() }),
  errors: ["NotFoundError", "RateLimitError"],
  isUncached: true,
  response: NoBody,
}).run(({ db, address, body: { email } }) => {
  const delivery = requireLinkDelivery(db);
  countGuess(db, { who: email, address });
  deliverLink(db, email, delivery); // not awaited: the time it takes would reveal whether the address is known
});
