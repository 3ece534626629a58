import type { Database } from "../db/database.ts";
import { query } from "../db/statement.ts";
import { ApiError } from "../lib/api-error.ts";
import { type Actor, ANYBODY, SERVICE_USER_ID } from "./actor.ts";
import { hashSecret, isExpired, secretIn, type TokenType, tokenHashOf } from "./token.ts";
import { HOLDS_ADMIN } from "./visibility.ts";

/** The credentials a request presents. */
export interface Credentials {
  /** The header, `<token>` or `Bearer <token>`. */
  authorization: string | null;
  /** The header that OpenFeature's clients may send instead. */
  apiKey?: string | null;
  /** The key with which a page opens a stream, since it can't send headers. */
  key?: string | null;
  /** The secret in the session's cookie. */
  session: string | undefined;
  /** Whom a trusted proxy names. */
  proxyUser?: string | undefined;
}

interface PersonRow {
  userId: number;
  userName: string;
  isAdmin: 0 | 1;
  expiresAt: string | null;
}

interface ServiceRow {
  tokenId: number;
  type: TokenType;
  name: string;
  expiresAt: string | null;
}

type TokenRow = ServiceRow & {
  userId: number | null;
  userName: string | null;
  isAdmin: 0 | 1;
};

const PERSON = `
  coalesce(users.email, users.username, users.name, 'user ' || users.id) AS userName,
  ${HOLDS_ADMIN} AS isAdmin`;

const tokenByHash = query<{ hash: string }, TokenRow>(`
  SELECT tokens.id AS tokenId, tokens.type, tokens.name, tokens.expires_at AS expiresAt, tokens.user_id AS userId, ${PERSON}
  FROM tokens LEFT JOIN users ON users.id = tokens.user_id
  WHERE tokens.hash = :hash`);

// A session that a proxy's header began is nothing without it, and the header outranks all other sessions.
const sessionByHash = query<{ hash: string; proxyUser: string | null }, PersonRow>(`
  SELECT sessions.expires_at AS expiresAt, users.id AS userId, ${PERSON}
  FROM sessions JOIN users ON users.id = sessions.user_id
  WHERE sessions.hash = :hash AND sessions.proxy_user IS :proxyUser`);

/**
 * The actor behind a token or a session. If both are present, a session takes precedence over a personal token, and a
 * service token over a session (original).
 * @throws ApiError `AuthenticationRequired` if there is neither, or if the credential is unknown, revoked or expired.
 */
export function authenticate(db: Database, { authorization, session, ...rest }: Credentials): Actor {
  const secret = secretIn(authorization);
  const token = secret ? valid(tokenByHash(db).get({ hash: hashSecret(secret) })) : undefined;
  if (token && token.userId === null) return toService(token);
  const proxyUser = rest.proxyUser ?? null;
  const person =
    session === undefined
      ? undefined
      : valid(sessionByHash(db).get({ hash: hashSecret(session), proxyUser }));
  if (person) return toPerson(person, { session: hashSecret(session!), tokenId: null });
  if (token) return toPerson(token as PersonRow, { session: null, tokenId: token.tokenId });
  throw new ApiError(
    "AuthenticationRequired",
    secret
      ? "The token in the Authorization header is unknown or expired"
      : "Send a token in the Authorization header, or sign in",
  );
}

const personById = query<{ id: number }, PersonRow>(`
  SELECT NULL AS expiresAt, users.id AS userId, ${PERSON} FROM users WHERE users.id = :id`);

/** A user as an actor, for what is done later on their behalf; undefined if there is none. */
export function actorOf(db: Database, id: number): Actor | undefined {
  const person = personById(db).get({ id });
  return person && toPerson(person, { session: null, tokenId: null });
}

const valid = <T extends { expiresAt: string | null }>(row: T | undefined) =>
  row && !isExpired(row.expiresAt) ? row : undefined;

const toPerson = (person: PersonRow, presented: Pick<Actor, "session" | "tokenId">): Actor => ({
  type: "user",
  createdBy: person.userName,
  createdByUserId: person.userId,
  userId: person.userId,
  isAdmin: person.isAdmin === 1,
  ...presented,
  expiresAt: person.expiresAt,
});

const toService = (token: ServiceRow): Actor => ({
  type: token.type,
  createdBy: token.name,
  createdByUserId: SERVICE_USER_ID,
  userId: null,
  isAdmin: token.type === "admin",
  session: null,
  tokenId: token.tokenId,
  expiresAt: token.expiresAt,
});

/** An application, and the flags it may read. */
export interface SdkActor extends Actor {
  /** `["*"]` for all. */
  projects: readonly string[];
  /** Null for all, as with a service token. */
  environment: string | null;
}

/** Asks nothing of users: what applications are answered stays valid when one of them changes. */
const sdkTokenByHash = query<
  { hash: string },
  ServiceRow & { projects: string; environment: string | null }
>(`
  SELECT id AS tokenId, type, name, projects, environment, expires_at AS expiresAt FROM tokens WHERE hash = :hash`);

/**
 * The application behind a token of the right kind, or a service token.
 * @throws ApiError `AuthenticationRequired`, or `NoAccessError` for another kind, with the messages that SDKs know
 */
export function authenticateSdk(...kinds: ReadonlyArray<"client" | "frontend">) {
  return (db: Database, { authorization, apiKey, key }: Credentials): SdkActor => {
    const secret = secretIn(authorization || apiKey);
    const hash = secret ? hashSecret(secret) : key ? tokenHashOf(db, key) : undefined;
    const token = hash === undefined ? undefined : sdkTokenByHash(db).get({ hash });
    if (!token || isExpired(token.expiresAt)) throw new ApiError("AuthenticationRequired", MISSING);
    if (token.type !== "admin" && !(kinds as readonly string[]).includes(token.type))
      throw new ApiError("NoAccessError", WRONG_KIND);
    return {
      ...toService(token),
      isAdmin: false,
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
  const token = secret ? sdkTokenByHash(db).get({ hash: hashSecret(secret) }) : undefined;
  if (token?.type === "client" || token?.type === "frontend") throw new ApiError("NoAccessError", WRONG_KIND);
  return ANYBODY;
}

const MISSING =
  "This endpoint requires an API token. Please add an authorization header to your request with a valid token";
const WRONG_KIND = "invalid token: expected a different token type for this endpoint";
