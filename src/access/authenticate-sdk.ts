import { type Database, query } from "../db/statement.ts";
import { ApiError } from "../lib/api-error.ts";
import { type Actor, ANYBODY, SERVICE_USER_ID } from "./actor.ts";
import type { Credentials } from "./authenticate.ts";
import { hashSecret, isExpired, secretIn, type TokenType, tokenHashOf } from "./token.ts";

/** An application, and the flags it may read. */
export interface SdkActor extends Actor {
  /** `["*"]` for all. */
  projects: readonly string[];
  /** Null for all, as with a service token. */
  environment: string | null;
}

interface Row {
  id: number;
  type: TokenType;
  name: string;
  projects: string;
  environment: string | null;
  expiresAt: string | null;
}

const tokenByHash = query<{ hash: string }, Row>(`
  SELECT id, type, name, projects, environment, expires_at AS expiresAt FROM tokens WHERE hash = :hash`);

/**
 * The application behind a token of the right kind, or a service token.
 * @throws ApiError `AuthenticationRequired`, or `NoAccessError` for another kind, with the messages that SDKs know
 */
export function authenticateSdk(...kinds: ReadonlyArray<"client" | "frontend">) {
  return (db: Database, { authorization, apiKey, key }: Credentials): SdkActor => {
    const secret = secretIn(authorization || apiKey);
    const hash = secret ? hashSecret(secret) : key ? tokenHashOf(db, key) : undefined;
    const token = hash === undefined ? undefined : tokenByHash(db).get({ hash });
    if (!token || isExpired(token.expiresAt)) throw new ApiError("AuthenticationRequired", MISSING);
    if (token.type !== "admin" && !(kinds as readonly string[]).includes(token.type))
      throw new ApiError("NoAccessError", WRONG_KIND);
    return {
      ...ANYBODY,
      type: token.type,
      tokenId: token.id,
      createdBy: token.name,
      createdByUserId: SERVICE_USER_ID,
      expiresAt: token.expiresAt,
      projects: JSON.parse(token.projects),
      environment: token.type === "admin" ? null : token.environment,
    };
  };
}

/**
 * Accepts anybody, but rejects an application's credential, which is not meant for here (original).
 * @throws ApiError `NoAccessError`
 */
export function authenticateAnybody(db: Database, { authorization }: Credentials): Actor {
  const secret = secretIn(authorization);
  const token = secret ? tokenByHash(db).get({ hash: hashSecret(secret) }) : undefined;
  if (token?.type === "client" || token?.type === "frontend") throw new ApiError("NoAccessError", WRONG_KIND);
  return ANYBODY;
}

const MISSING =
  "This endpoint requires an API token. Please add an authorization header to your request with a valid token";
const WRONG_KIND = "invalid token: expected a different token type for this endpoint";
