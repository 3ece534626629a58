import * as v from "valibot";
import { FutureTime, NonEmptyText, Time, Timestamp, wholeNumber } from "../../lib/validation.ts";

/** A personal token; its secret appears only in the response that creates it. */
export const PersonalToken = v.strictObject({
  id: v.pipe(v.number(), v.integer()),
  secret: v.optional(v.string()),
  description: v.string(),
  userId: v.pipe(v.number(), v.integer()),
  createdAt: Timestamp,
  expiresAt: v.nullable(Timestamp),
  seenAt: v.nullable(Timestamp),
});
export type PersonalToken = v.InferOutput<typeof PersonalToken>;

export const PersonalTokens = v.strictObject({ pats: v.array(PersonalToken) });

/** A token's id in a path. */
export const TokenId = wholeNumber(0);

/** The body that creates a personal token. */
export const NewPersonalToken = v.object({ description: NonEmptyText, expiresAt: FutureTime });

const API_TOKEN_TYPES = ["client", "admin", "frontend"] as const;

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

/** A token that was just created; without `expiresAt` if it never expires (original). */
export const CreatedApiToken = v.strictObject({
  ...v.omit(ApiToken, ["seenAt"]).entries,
  expiresAt: v.optional(Timestamp),
});
export type CreatedApiToken = v.InferOutput<typeof CreatedApiToken>;

/** The body that creates a token; `username` and `project` are older names for `tokenName` and for a single project. */
export const NewApiToken = v.pipe(
  v.object({
    tokenName: v.optional(NonEmptyText),
    username: v.optional(NonEmptyText),
    type: v.pipe(v.string(), v.toLowerCase(), v.picklist(API_TOKEN_TYPES)),
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
    type,
    environment: environment ?? (type === "admin" ? "*" : "default"), // original
    projects: allOrSome(projects ?? [project ?? "*"]),
    expiresAt: expiresAt ?? null,
  })),
);
export type NewApiToken = v.InferOutput<typeof NewApiToken>;

/** Without duplicates; `*` covers all others. */
const allOrSome = (projects: readonly string[]) => (projects.includes("*") ? ["*"] : [...new Set(projects)]);

export const ApiTokenUpdate = v.object({ expiresAt: Time });
