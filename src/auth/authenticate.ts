import { type Database, query } from "../db/statement.ts";
import { ApiError } from "../http/error.ts";
import { type Actor, SERVICE_USER_ID } from "./actor.ts";
import { hasEnded, hashSecret, type TokenType } from "./token.ts";

interface TokenRow {
  type: TokenType;
  name: string;
  expiresAt: string | null;
  userId: number | null;
  userName: string | null;
  isAdmin: 0 | 1;
}

/** Bound to an environment it would be a permission for some things, and is no ADMIN. */
const IS_ADMIN = "role_permissions.name = 'ADMIN' AND role_permissions.environment IS NULL";

const tokenByHash = query<{ hash: string }, TokenRow>(`
  SELECT tokens.type, tokens.name, tokens.expires_at AS expiresAt, tokens.user_id AS userId,
    coalesce(users.email, users.username, users.name, 'user ' || users.id) AS userName,
    EXISTS (SELECT 1 FROM role_permissions WHERE role_id = users.root_role AND ${IS_ADMIN})
      OR EXISTS (
        SELECT 1 FROM group_users JOIN groups ON groups.id = group_users.group_id
        JOIN role_permissions ON role_permissions.role_id = groups.root_role
        WHERE group_users.user_id = users.id AND ${IS_ADMIN}
      ) AS isAdmin
  FROM tokens LEFT JOIN users ON users.id = tokens.user_id
  WHERE tokens.hash = :hash`);

/**
 * The actor behind an `Authorization` header, `<token>` or `Bearer <token>`.
 * @throws ApiError `AuthenticationRequired` if it is absent, or the token unknown, revoked or expired.
 */
export function authenticate(db: Database, header: string | null): Actor {
  const secret = header?.replace(/^bearer\s+/i, "").trim();
  if (!secret) throw new ApiError("AuthenticationRequired", "Send a token in the Authorization header");
  const token = tokenByHash(db).get({ hash: hashSecret(secret) });
  if (!token || hasEnded(token.expiresAt)) {
    throw new ApiError(
      "AuthenticationRequired",
      "The token in the Authorization header is unknown or expired",
    );
  }
  return token.type === "user" ? toPerson(token) : toService(token);
}

const toPerson = (token: TokenRow): Actor => ({
  type: token.type,
  createdBy: token.userName!,
  createdByUserId: token.userId,
  userId: token.userId,
  isAdmin: token.isAdmin === 1,
  expiresAt: token.expiresAt,
});

const toService = (token: TokenRow): Actor => ({
  type: token.type,
  createdBy: token.name,
  createdByUserId: SERVICE_USER_ID,
  userId: null,
  isAdmin: token.type === "admin",
  expiresAt: token.expiresAt,
});
