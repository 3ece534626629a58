import * as v from "valibot";
import { hashPassword } from "../../access/password.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { requireFreeNames, requireOwnUser, requireStrongPassword, WEAK_PASSWORD } from "../users/require.ts";
import { User } from "../users/schema.ts";
import { signUp } from "./changes.ts";
import { requireOpenInvitation } from "./require.ts";
import { InvitedUser } from "./schema.ts";

const ofInvitation = {
  tag: "Invitations",
  permission: null,
  params: v.object({ token: v.string() }),
} as const;

export const checkInvitation = operation({
  ...ofInvitation,
  id: "validatePublicSignupToken",
  summary: "Whether an invitation can be used",
  method: "GET",
  path: "/invite/:token/validate",
  response: NoBody,
}).run(({ db, params: { token } }) => void requireOpenInvitation(db, token));

export const useInvitation = operation({
  ...ofInvitation,
  id: "addPublicSignupTokenUser",
  summary: "Sign up through an invitation, as a Viewer",
  method: "POST",
  path: "/invite/:token/signup",
  body: InvitedUser,
  status: 201,
  errors: WEAK_PASSWORD,
  records: ["user-created", "public-signup-token-user-added"],
  response: User,
})
  .prepare(({ db, params: { token }, body: { password } }) => {
    requireOpenInvitation(db, token); // so that only valid invitations cost a hash
    requireStrongPassword(password);
    return hashPassword(password);
  })
  .change(({ tx, params: { token }, body: { password: _, ...names }, prepared: passwordHash }) => {
    const id = requireOpenInvitation(tx.db, token);
    requireFreeNames(tx.db, names);
    return requireOwnUser(tx.db, signUp(tx, id, { ...names, passwordHash }));
  });
