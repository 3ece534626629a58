import type { Actor } from "../../access/actor.ts";
import type { Permission } from "../../access/permissions.ts";
import { holds } from "../../access/require-permission.ts";
import { hiddenProjects, requireVisible } from "../../access/visibility.ts";
import { isKnown } from "../../db/known.ts";
import { type Database, query } from "../../db/statement.ts";
import { ApiError, invalid } from "../../lib/api-error.ts";
import { idInMasked, maskedSecret, toApiToken } from "./api-token.ts";
import type { ApiToken, NewApiToken } from "./schema.ts";
import { readableSecrets } from "./secrets-store.ts";
import { personalTokens, type Token, tokenById, tokenBySecret } from "./store.ts";

/** The maximum number of personal tokens per user (original). */
const MAX_TOKENS = 10;

const namesOf = query<{ userId: number }, string>(`SELECT name FROM tokens WHERE user_id = :userId`);

/** A user's tokens, by id. */
export const tokensOf = personalTokens;

/**
 * @throws ApiError `NameExistsError` if the user has a token with this name, `OperationDeniedError` if they have too
 * many
 */
export function requireRoomForToken(db: Database, userId: number, name: string) {
  const names = namesOf(db).pluck().all({ userId });
  if (names.includes(name))
    throw new ApiError("NameExistsError", "body.description: there is already a token with this name");
  if (names.length >= MAX_TOKENS)
    throw new ApiError(
      "OperationDeniedError",
      `There are ${MAX_TOKENS} personal tokens, the most allowed: delete one first`,
    );
}

/** @throws ApiError `NotFoundError` unless the token is the user's own */
export function requireOwnToken(db: Database, userId: number, id: number) {
  if (tokenById(db, id)?.userId === userId) return;
  throw new ApiError("NotFoundError", `There is no personal token with the id ${id}`);
}

/** The API token with this secret or masked secret; undefined if there is none. */
export function findApiToken(db: Database, secret: string): Token | undefined {
  const found = tokenBySecret(db, secret) ?? tokenByMaskedSecret(db, secret);
  return found?.type === "user" ? undefined : found;
}

/** The same, unless it names a project hidden from the actor. */
export function findVisibleToken(db: Database, actor: Actor, secret: string): Token | undefined {
  const token = findApiToken(db, secret);
  const hidden = hiddenProjects(db, actor);
  return token?.projects.some((project) => hidden.includes(project)) ? undefined : token;
}

function tokenByMaskedSecret(db: Database, masked: string): Token | undefined {
  const id = idInMasked(masked);
  const token = id === undefined ? undefined : tokenById(db, id);
  return token && maskedSecret(token) === masked ? token : undefined;
}

/**
 * API tokens as they are listed for someone who may read them: with their secrets, if those are kept, but none that opens
 * a project hidden from the actor.
 */
export function listedTokens(db: Database, actor: Actor, list: readonly Token[]): ApiToken[] {
  const secrets = readableSecrets(db);
  const hidden = hiddenProjects(db, actor);
  const opensHidden = hidden.length === 0 ? () => false : (id: string) => id === "*" || hidden.includes(id);
  return list.map((token) => ({
    ...toApiToken(token),
    ...(secrets.has(token.id) && !token.projects.some(opensHidden) && { secret: secrets.get(token.id)! }),
  }));
}

/** What an actor can do with a token. */
export type TokenAction = "CREATE" | "READ" | "UPDATE" | "DELETE";

/** Whether the actor may do this with tokens of a type; only Admins may do everything. */
export function mayAccessTokens(
  db: Database,
  actor: Actor,
  action: TokenAction,
  type: Token["type"],
): boolean {
  return holds(db, actor, { permissions: [permissionFor(action, type)] });
}

/** @throws ApiError `NoAccessError` */
export function requireTokenAccess(
  db: Database,
  actor: Actor,
  action: TokenAction,
  { type, projects }: Pick<Token, "type" | "projects">,
) {
  for (const project of projects) requireVisible(db, actor, project);
  if (action === "CREATE" && projects.includes("*")) requireAllVisible(db, actor);
  if (mayAccessTokens(db, actor, action, type)) return;
  throw new ApiError("NoAccessError", `You need the permission ${permissionFor(action, type)} to do this`);
}

/** A token for all projects would reveal those hidden from its creator. @throws ApiError `NoAccessError` */
function requireAllVisible(db: Database, actor: Actor) {
  if (hiddenProjects(db, actor).length === 0) return;
  throw new ApiError("NoAccessError", "Some projects are hidden from you: name the projects of the token");
}

const permissionFor = (action: TokenAction, type: Token["type"]): Permission =>
  type === "client" || type === "frontend"
    ? (`${action}_${type.toUpperCase() as "CLIENT" | "FRONTEND"}_API_TOKEN` as const)
    : "ADMIN";

/**
 * Checks that an admin token is for all projects and environments, and any other token for an existing environment.
 * @throws ApiError `ValidationError`
 */
export function requireTokenScope(db: Database, { type, projects, environment }: NewApiToken) {
  const fail = (path: string, message: string) => {
    throw invalid({ path: `body.${path}`, message });
  };
  if (type === "admin" && projects[0] !== "*") fail("projects", "of an admin token must be *");
  if (type === "admin" && environment !== "*") fail("environment", "of an admin token must be *");
  if (type === "admin") return;
  if (environment === "*") fail("environment", `of a ${type} token can't be *: name one`);
  if (!isKnown(db, "environment", environment)) fail("environment", `there is no environment ${environment}`);
  const unknown = projects.find((project) => project !== "*" && !isKnown(db, "project", project));
  if (unknown !== undefined) fail("projects", `there is no project ${unknown}`);
}
