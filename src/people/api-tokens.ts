import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import type { Permission } from "../access/permissions.ts";
import { holds } from "../access/require-permission.ts";
import { toTokenType } from "../access/token.ts";
import { hiddenProjects, requireVisible } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST, PUT, WithHeaders } from "../http/operation.ts";
import { ApiError, invalid } from "../lib/api-error.ts";
import { MASK } from "../lib/text.ts";
import { NonEmptyText, Time, Timestamp } from "../lib/validation.ts";
import { readableSecrets } from "./token-secrets.ts";
import {
  allOrSome,
  createdPart,
  createToken,
  revokeToken,
  type Token,
  tokenById,
  tokenBySecret,
  tokens,
  updateToken,
  wholePart,
} from "./tokens-store.ts";

const API_TOKEN_TYPES = ["client", "admin", "frontend"] as const;
const REQUESTED_TYPES = [...API_TOKEN_TYPES, "backend"] as const;

/**
 * A token that belongs to no user. Its secret appears only in the response that creates it; elsewhere a masked form
 * identifies the token.
 */
export const ApiToken = v.strictObject({
  secret: v.string(),
  tokenName: v.string(),
  type: v.picklist(API_TOKEN_TYPES),
  project: v.string(),
  projects: v.array(v.string()),
  environment: v.string(),
  expiresAt: v.nullable(Timestamp),
  createdAt: Timestamp,
  alias: v.null(),
  seenAt: v.nullable(Timestamp),
  username: v.string(),
});
export type ApiToken = v.InferOutput<typeof ApiToken>;

export const ApiTokens = v.strictObject({ tokens: v.array(ApiToken) });

/** A token that was just created, with the type that was requested; without `expiresAt` if it never expires (original). */
export const CreatedApiToken = v.strictObject({
  ...v.omit(ApiToken, ["seenAt"]).entries,
  type: v.picklist(REQUESTED_TYPES),
  expiresAt: v.optional(Timestamp),
});
type CreatedApiToken = v.InferOutput<typeof CreatedApiToken>;

/** The body that creates a token; `username` and `project` are older names for `tokenName` and for a single project. */
export const NewApiToken = v.pipe(
  v.object({
    tokenName: v.optional(NonEmptyText),
    username: v.optional(NonEmptyText),
    type: v.pipe(v.string(), v.toLowerCase(), v.picklist(REQUESTED_TYPES)),
    environment: v.optional(NonEmptyText),
    project: v.optional(NonEmptyText),
    projects: v.optional(v.pipe(v.array(NonEmptyText), v.minLength(1, "must name a project"))),
    expiresAt: v.optional(Time),
  }),
  v.forward(
    v.check(({ tokenName, username }) => tokenName !== undefined || username !== undefined, "is missing"),
    ["tokenName"],
  ),
  v.forward(
    v.check(
      ({ tokenName, username }) => tokenName === undefined || username === undefined,
      "is another name for tokenName: give only one of them",
    ),
    ["username"],
  ),
  v.transform(({ tokenName, username, type, environment, project, projects, expiresAt }) => ({
    name: tokenName ?? username!,
    type: toTokenType(type),
    requestedType: type,
    environment: environment ?? (type === "admin" ? "*" : "default"), // original
    projects: allOrSome(projects ?? [project ?? "*"]),
    expiresAt: expiresAt ?? null,
  })),
);
type NewApiToken = v.InferOutput<typeof NewApiToken>;

export const ApiTokenUpdate = v.object({ expiresAt: Time });

const ofTokens = { tag: "API tokens", path: "/api/admin/api-tokens" } as const;

// When listing, the parameter is a name, despite its own (original).
const ofToken = {
  ...ofTokens,
  path: `${ofTokens.path}/:token`,
} as const;

const anyOf = <A extends TokenAction>(action: A) =>
  ["ADMIN", `${action}_CLIENT_API_TOKEN`, `${action}_FRONTEND_API_TOKEN`] as const;

export const listApiTokens = GET({
  ...ofTokens,
  id: "getAllApiTokens",
  summary: "The API tokens that the caller may see; secrets are masked unless the operator keeps them",
  permission: { permission: anyOf("READ") },
  response: ApiTokens,
}).run(({ db, actor }) => ({ tokens: listedTokens(db, actor, readableTokens(db, actor)) }));

export const listApiTokensByName = GET({
  ...ofToken,
  id: "getApiTokensByName",
  summary: "The API tokens with a given name that the caller may see",
  permission: { permission: anyOf("READ") },
  volatile: ["seenAt"],
  response: ApiTokens,
}).run(({ db, actor, params }) => {
  const named = readableTokens(db, actor).filter(({ name }) => name === params.token);
  return { tokens: listedTokens(db, actor, named) };
});

export const createApiToken = POST({
  ...ofTokens,
  id: "createApiToken",
  summary: "Create an API token; its secret is shown only once",
  permission: { permission: anyOf("CREATE") },
  body: NewApiToken,
  status: 201,
  records: ["api-token-created"],
  response: CreatedApiToken,
  example: { tokenName: "checkout", type: "client", environment: "development", projects: ["shop"] },
}).change(({ tx, actor, body }) => {
  requireTokenAccess(tx.db, actor, "CREATE", body);
  return issueApiToken(tx, body);
});

export const updateApiToken = PUT({
  ...ofToken,
  id: "updateApiToken",
  summary: "Set when an API token expires; unknown ones are ignored",
  permission: { permission: anyOf("UPDATE") },
  body: ApiTokenUpdate,
  records: ["api-token-updated"],
  example: { expiresAt: "2099-01-31T09:00:00.000Z" },
}).change(({ tx, actor, params, body: { expiresAt } }) => {
  const token = findVisibleToken(tx.db, actor, params.token);
  if (!token) return;
  requireTokenAccess(tx.db, actor, "UPDATE", token);
  updateToken(tx, token, { expiresAt });
});

export const deleteApiToken = DELETE({
  ...ofToken,
  id: "deleteApiToken",
  summary: "Revoke an API token; unknown ones are ignored",
  permission: { permission: anyOf("DELETE") },
  records: ["api-token-deleted"],
}).change(({ tx, actor, params }) => {
  const token = findVisibleToken(tx.db, actor, params.token);
  if (!token) return;
  requireTokenAccess(tx.db, actor, "DELETE", token);
  revokeToken(tx, token.id);
});

/** The API token with this secret or masked secret; undefined if there is none. */
export function findApiToken(db: Database, secret: string): Token | undefined {
  const found = tokenBySecret(db, secret) ?? tokenByMaskedSecret(db, secret);
  return found?.type === "user" ? undefined : found;
}

/** The same, unless it names a project hidden from the actor. */
function findVisibleToken(db: Database, actor: Actor, secret: string): Token | undefined {
  const token = findApiToken(db, secret);
  const hidden = hiddenProjects(db, actor);
  return token?.projects.some((project) => hidden.includes(project)) ? undefined : token;
}

function tokenByMaskedSecret(db: Database, masked: string): Token | undefined {
  const [, id] = /\.\*{5}-(\d{1,15})$/.exec(masked) ?? [];
  const token = id === undefined ? undefined : tokenById(db, Number(id));
  return token && maskedSecret(token) === masked ? token : undefined;
}

/** Identifies a token in place of its secret, which is not stored: the secret's public part and the token's id. */
const maskedSecret = ({ id, projects, environment }: Token) =>
  `${projects.length === 1 ? projects[0] : "[]"}:${environment ?? "*"}.${MASK}-${id}`;

/** Tokens of the types that the caller may read, except those that name a project hidden from the caller. */
function readableTokens(db: Database, actor: Actor): Token[] {
  const hidden = hiddenProjects(db, actor);
  const types: readonly string[] = API_TOKEN_TYPES.filter((type) => mayAccessTokens(db, actor, "READ", type));
  return tokens(db).filter(
    ({ type, projects }) => types.includes(type) && !projects.some((project) => hidden.includes(project)),
  );
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

/** An API token as it is listed if its secret is not shown. */
export const toApiToken = (token: Token): ApiToken => ({ secret: maskedSecret(token), ...wholePart(token) });

/** What an actor can do with a token. */
type TokenAction = "CREATE" | "READ" | "UPDATE" | "DELETE";

/** Whether the actor may do this with tokens of a type; only Admins may do everything. */
export const mayAccessTokens = (db: Database, actor: Actor, action: TokenAction, type: Token["type"]) =>
  holds(db, actor, { permissions: [permissionFor(action, type)] });

/** @throws ApiError `NoAccessError` */
function requireTokenAccess(
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

/** Creates an API token. @throws ApiError `ValidationError` if its scope is not possible */
export function issueApiToken(tx: Tx, token: NewApiToken): WithHeaders<CreatedApiToken> {
  requireTokenScope(tx.db, token);
  const { requestedType: type, ...wanted } = token;
  const { secret, ...created } = createToken(tx, { ...wanted, userId: null });
  return new WithHeaders({ secret, ...createdPart(created), type }, { location: "api-tokens" });
}

/**
 * An admin token is for all projects and environments, any other token for an existing environment.
 * @throws ApiError `ValidationError` with a path below `where`
 */
export function requireTokenScope(
  db: Database,
  { type, projects, environment }: Pick<NewApiToken, "type" | "projects" | "environment">,
  where = "body",
) {
  const fail = (path: string, message: string) => {
    throw invalid({ path: `${where}.${path}`, message });
  };
  if (type === "admin" && projects[0] !== "*") fail("projects", "of an admin token must be *");
  if (type === "admin" && environment !== "*") fail("environment", "of an admin token must be *");
  if (type === "admin") return;
  if (environment === "*") fail("environment", `of a ${type} token can't be *: name one`);
  if (!isKnown(db, "environment", environment)) fail("environment", `there is no environment ${environment}`);
  const unknown = projects.find((project) => project !== "*" && !isKnown(db, "project", project));
  if (unknown !== undefined) fail("projects", `there is no project ${unknown}`);
}
