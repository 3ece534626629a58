import * as v from "valibot";
import { requirePerson } from "../access/require-permission.ts";
import type { Database } from "../db/database.ts";
import { query } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST } from "../http/operation.ts";
import { ApiError, found } from "../lib/api-error.ts";
import { FutureTime, NonEmptyText, Timestamp, wholeNumber } from "../lib/validation.ts";
import { createToken, revokeToken, tokenById } from "./tokens-store.ts";

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
type PersonalToken = v.InferOutput<typeof PersonalToken>;

export const PersonalTokens = v.strictObject({ pats: v.array(PersonalToken) });
export const TokenId = wholeNumber(0);
export const NewPersonalToken = v.object({ description: NonEmptyText, expiresAt: FutureTime });
type NewPersonalToken = v.InferOutput<typeof NewPersonalToken>;

const ofOwnTokens = {
  tag: "Personal tokens",
  path: "/api/admin/user/tokens",
  permission: null,
} as const;

export const listOwnTokens = GET({
  ...ofOwnTokens,
  id: "getPats",
  summary: "The caller's personal tokens",
  response: PersonalTokens,
}).run(({ db, actor }) => ({ pats: personalTokens(db, requirePerson(actor)) }));

export const createOwnToken = POST({
  ...ofOwnTokens,
  id: "createPat",
  summary: "Create a personal token; its secret is shown only once",
  body: NewPersonalToken,
  status: 201,
  errors: ["NameExistsError", "OperationDeniedError"],
  records: ["pat-created"],
  response: PersonalToken,
  example: { description: "My laptop", expiresAt: "2099-01-31T09:00:00.000Z" },
}).change(({ tx, actor, body }) => createPersonalToken(tx, requirePerson(actor), body));

export const deleteOwnToken = DELETE({
  ...ofOwnTokens,
  id: "deletePat",
  summary: "Revoke one of the caller's personal tokens",
  path: `${ofOwnTokens.path}/:id`,
  params: v.object({ id: TokenId }),
  errors: ["NotFoundError"],
  records: ["pat-deleted"],
}).change(({ tx, actor, params: { id } }) => revokePersonalToken(tx, requirePerson(actor), id));

/** A user's personal tokens, by id. */
export const personalTokens = (db: Database, userId: number): PersonalToken[] => ofUser(db).all({ userId });

const ofUser = query<{ userId: number }, PersonalToken>(`
  SELECT id, name AS description, user_id AS userId, created_at AS createdAt, expires_at AS expiresAt,
    seen_at AS seenAt
  FROM tokens WHERE user_id = :userId ORDER BY id`);

/** The maximum number of personal tokens per user (original). */
const MAX_TOKENS = 10;

/**
 * Creates a token of a user or a service account.
 * @throws ApiError `NameExistsError` if there is one with this name, `OperationDeniedError` if there are too many
 */
export function createPersonalToken(
  tx: Tx,
  userId: number,
  { description, expiresAt }: NewPersonalToken,
): PersonalToken {
  const others = personalTokens(tx.db, userId);
  if (others.some((token) => token.description === description))
    throw new ApiError("NameExistsError", "body.description: there is already a token with this name");
  if (others.length >= MAX_TOKENS)
    throw new ApiError(
      "OperationDeniedError",
      `There are ${MAX_TOKENS} personal tokens, the most allowed: delete one first`,
    );
  const scope = { projects: ["*"], environment: null };
  const token = createToken(tx, { type: "user", name: description, userId, expiresAt, ...scope });
  const { id, secret, createdAt } = token;
  return { id, secret, description, userId, createdAt, expiresAt, seenAt: null };
}

/** @throws ApiError `NotFoundError` unless the token is the user's own */
export function revokePersonalToken(tx: Tx, userId: number, id: number) {
  const token = tokenById(tx.db, id);
  revokeToken(tx, found(token?.userId === userId ? id : undefined, `personal token with the id ${id}`));
}
