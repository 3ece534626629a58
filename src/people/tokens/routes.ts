import * as v from "valibot";
import { requirePerson } from "../../access/require-permission.ts";
import { NoBody, operation } from "../../http/operation.ts";
import * as changes from "./changes.ts";
import { requireOwnToken, requireRoomForToken } from "./require.ts";
import { NewPersonalToken, PersonalToken, PersonalTokens, TokenId } from "./schema.ts";
import { personalTokens } from "./store.ts";

export const listPersonalTokens = operation({
  id: "getPats",
  summary: "The caller's personal tokens",
  tag: "Personal tokens",
  method: "GET",
  path: "/api/admin/user/tokens",
  permission: null,
  response: PersonalTokens,
}).run(({ db, actor }) => ({ pats: personalTokens(db, requirePerson(actor)) }));

export const createPersonalToken = operation({
  id: "createPat",
  summary: "Create a personal token; its secret is shown only once",
  tag: "Personal tokens",
  method: "POST",
  path: "/api/admin/user/tokens",
  permission: null,
  body: NewPersonalToken,
  status: 201,
  errors: ["NameExistsError", "OperationDeniedError"],
  records: ["pat-created"],
  response: PersonalToken,
}).change(({ tx, actor, body }) => {
  const userId = requirePerson(actor);
  requireRoomForToken(tx.db, userId, body.description);
  return changes.createPersonalToken(tx, userId, body);
});

export const deletePersonalToken = operation({
  id: "deletePat",
  summary: "Revoke one of the caller's personal tokens",
  tag: "Personal tokens",
  method: "DELETE",
  path: "/api/admin/user/tokens/:id",
  permission: null,
  params: v.object({ id: TokenId }),
  errors: ["NotFoundError"],
  records: ["pat-deleted"],
  response: NoBody,
}).change(({ tx, actor, params: { id } }) => {
  requireOwnToken(tx.db, requirePerson(actor), id);
  changes.revokeToken(tx, id);
});
