import * as v from "valibot";
import type { Actor } from "../../access/actor.ts";
import { hiddenProjects } from "../../access/visibility.ts";
import { snapshot } from "../../db/snapshot.ts";
import type { Database } from "../../db/statement.ts";
import { NoBody, operation } from "../../http/operation.ts";
import * as changes from "./changes.ts";
import {
  findVisibleToken,
  listedTokens,
  mayAccessTokens,
  requireTokenAccess,
  requireTokenScope,
} from "./require.ts";
import { ApiTokens, ApiTokenUpdate, CreatedApiToken, NewApiToken } from "./schema.ts";
import { type Token, tokens } from "./store.ts";

const anyOf = <D extends string>(action: D) =>
  ["ADMIN", `${action}_CLIENT_API_TOKEN`, `${action}_FRONTEND_API_TOKEN`] as const;

export const listApiTokens = operation({
  id: "getAllApiTokens",
  summary: "The API tokens that the caller may see; secrets are masked unless the operator keeps them",
  tag: "API tokens",
  method: "GET",
  path: "/api/admin/api-tokens",
  permission: { permission: anyOf("READ") },
  response: ApiTokens,
}).run(({ db, actor }) =>
  snapshot(db, () => ({ tokens: listedTokens(db, actor, readableTokens(db, actor)) })),
);

export const listApiTokensByName = operation({
  id: "getApiTokensByName",
  summary: "The API tokens with a given name that the caller may see",
  tag: "API tokens",
  method: "GET",
  path: "/api/admin/api-tokens/:token",
  permission: { permission: anyOf("READ") },
  params: v.object({ token: v.string() }), // a name, despite the parameter's own (original)
  volatile: ["seenAt"],
  response: ApiTokens,
}).run(({ db, actor, params }) =>
  snapshot(db, () => ({
    tokens: listedTokens(
      db,
      actor,
      readableTokens(db, actor).filter(({ name }) => name === params.token),
    ),
  })),
);

export const createApiToken = operation({
  id: "createApiToken",
  summary: "Create an API token; its secret is shown only once",
  tag: "API tokens",
  method: "POST",
  path: "/api/admin/api-tokens",
  permission: { permission: anyOf("CREATE") },
  body: NewApiToken,
  status: 201,
  records: ["api-token-created"],
  response: CreatedApiToken,
}).change(({ tx, actor, body }) => {
  requireTokenAccess(tx.db, actor, "CREATE", body);
  requireTokenScope(tx.db, body);
  return changes.createApiToken(tx, body);
});

export const updateApiToken = operation({
  id: "updateApiToken",
  summary: "Set when an API token expires; unknown ones are ignored",
  tag: "API tokens",
  method: "PUT",
  path: "/api/admin/api-tokens/:token",
  permission: { permission: anyOf("UPDATE") },
  params: v.object({ token: v.string() }),
  body: ApiTokenUpdate,
  records: ["api-token-updated"],
  response: NoBody,
}).change(({ tx, actor, params, body: { expiresAt } }) => {
  const token = findVisibleToken(tx.db, actor, params.token);
  if (!token) return;
  requireTokenAccess(tx.db, actor, "UPDATE", token);
  changes.updateToken(tx, token, expiresAt);
});

export const deleteApiToken = operation({
  id: "deleteApiToken",
  summary: "Revoke an API token; unknown ones are ignored",
  tag: "API tokens",
  method: "DELETE",
  path: "/api/admin/api-tokens/:token",
  permission: { permission: anyOf("DELETE") },
  params: v.object({ token: v.string() }),
  records: ["api-token-deleted"],
  response: NoBody,
}).change(({ tx, actor, params }) => {
  const token = findVisibleToken(tx.db, actor, params.token);
  if (!token) return;
  requireTokenAccess(tx.db, actor, "DELETE", token);
  changes.revokeToken(tx, token.id);
});

/** Tokens of the types that the caller may read, except those that name a project hidden from the caller. */
function readableTokens(db: Database, actor: Actor): Token[] {
  const hidden = hiddenProjects(db, actor);
  const types = (["admin", "client", "frontend"] as const).filter((type) =>
    mayAccessTokens(db, actor, "READ", type),
  );
  return tokens(db).filter(
    ({ type, projects }) =>
      types.some((readable) => readable === type) && !projects.some((project) => hidden.includes(project)),
  );
}
