import * as v from "valibot";
import { snapshot } from "../../db/snapshot.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { createPersonalToken, revokeToken } from "../tokens/changes.ts";
import { requireOwnToken, requireRoomForToken, tokensOf } from "../tokens/require.ts";
import { NewPersonalToken, PersonalToken, PersonalTokens, TokenId } from "../tokens/schema.ts";
import { UserId } from "../users/schema.ts";
import { requireServiceAccount } from "./require.ts";

const ofTokens = {
  tag: "Service accounts",
  path: "/api/admin/service-account/:id/token",
  permission: "ADMIN",
  params: v.object({ id: UserId }),
} as const;

export const listServiceAccountTokens = operation({
  ...ofTokens,
  id: "getServiceAccountTokens",
  summary: "The tokens of a service account",
  method: "GET",
  errors: ["NotFoundError"],
  response: PersonalTokens,
}).run(({ db, params: { id } }) =>
  snapshot(db, () => {
    requireServiceAccount(db, id);
    return { pats: tokensOf(db, id) };
  }),
);

export const createServiceAccountToken = operation({
  ...ofTokens,
  id: "createServiceAccountToken",
  summary: "Create a token for a service account; its secret is shown only once",
  method: "POST",
  body: NewPersonalToken,
  status: 201,
  errors: ["NotFoundError", "NameExistsError", "OperationDeniedError"],
  records: ["pat-created"],
  response: PersonalToken,
}).change(({ tx, params: { id }, body }) => {
  requireServiceAccount(tx.db, id);
  requireRoomForToken(tx.db, id, body.description);
  return createPersonalToken(tx, id, body);
});

export const deleteServiceAccountToken = operation({
  ...ofTokens,
  id: "deleteServiceAccountToken",
  summary: "Revoke a token of a service account",
  method: "DELETE",
  path: `${ofTokens.path}/:tokenId`,
  params: v.object({ id: UserId, tokenId: TokenId }),
  errors: ["NotFoundError"],
  records: ["pat-deleted"],
  response: NoBody,
}).change(({ tx, params: { id, tokenId } }) => {
  requireServiceAccount(tx.db, id);
  requireOwnToken(tx.db, id, tokenId);
  revokeToken(tx, tokenId);
});
