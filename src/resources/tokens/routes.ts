import { operation } from "../../http/operation.ts";
import * as changes from "./changes.ts";
import { requirePerson, requireRoomForToken } from "./require.ts";
import { NewPersonalToken, PersonalToken } from "./schema.ts";

export const createPersonalToken = operation({
  id: "createPat",
  summary: "Make a personal token; its secret is shown this once",
  tag: "Personal tokens",
  method: "POST",
  path: "/api/admin/user/tokens",
  permission: null,
  body: NewPersonalToken,
  status: 201,
  errors: ["NameExistsError", "OperationDeniedError"],
  response: PersonalToken,
}).change(({ tx, actor, body: { description, expiresAt } }) => {
  const userId = requirePerson(actor);
  requireRoomForToken(tx.db, userId, description);
  const scope = { projects: ["*"], environment: null };
  const token = changes.createToken(tx, { type: "user", name: description, userId, expiresAt, ...scope });
  return {
    id: token.id,
    secret: token.secret,
    description,
    userId,
    createdAt: token.createdAt,
    expiresAt,
    seenAt: null,
  };
});
