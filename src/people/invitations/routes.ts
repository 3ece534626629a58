import * as v from "valibot";
import { snapshot } from "../../db/snapshot.ts";
import { operation, WithHeaders } from "../../http/operation.ts";
import * as changes from "./changes.ts";
import { requireInvitation } from "./require.ts";
import { Invitation, InvitationUpdate, NewInvitation } from "./schema.ts";
import { invitationById, invitations, toWire } from "./store.ts";

const TOKENS = "/api/admin/invite-link/tokens";

const ofInvitation = {
  tag: "Invitations",
  path: `${TOKENS}/:token`,
  permission: "ADMIN",
  params: v.object({ token: v.string() }),
  errors: ["NotFoundError"],
  response: Invitation,
} as const;

export const listInvitations = operation({
  id: "getAllPublicSignupTokens",
  summary: "The invitations, with masked secrets",
  tag: "Invitations",
  method: "GET",
  path: TOKENS,
  permission: "ADMIN",
  response: v.strictObject({ tokens: v.array(Invitation) }),
}).run(({ db }) => snapshot(db, () => ({ tokens: invitations(db).map(toWire) })));

export const createInvitation = operation({
  id: "createPublicSignupToken",
  summary: "Create a link for signing up, valid for a month at most; it is shown only once",
  tag: "Invitations",
  method: "POST",
  path: TOKENS,
  permission: "ADMIN",
  body: NewInvitation,
  status: 201,
  records: ["public-signup-token-created"],
  response: Invitation,
}).change(({ tx, body }) => {
  const { secret, invitation } = changes.createInvitation(tx, body);
  return new WithHeaders(toWire(invitation), { location: `tokens/${secret}` });
});

export const readInvitation = operation({
  ...ofInvitation,
  id: "getPublicSignupToken",
  summary: "An invitation, by its secret or masked secret",
  method: "GET",
}).run(({ db, params: { token } }) =>
  snapshot(db, () => toWire(invitationById(db, requireInvitation(db, token)))),
);

export const updateInvitation = operation({
  ...ofInvitation,
  id: "updatePublicSignupToken",
  summary: "Disable or enable an invitation, or set when it expires",
  method: "PUT",
  body: InvitationUpdate,
  records: ["public-signup-token-updated"],
}).change(({ tx, params: { token }, body }) => {
  const id = requireInvitation(tx.db, token);
  changes.updateInvitation(tx, id, body);
  return toWire(invitationById(tx.db, id));
});
