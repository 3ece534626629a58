import type { TokenType } from "./token.ts";

/** Who makes a request or a change. Created by `authenticate`, or by a command. */
export interface Actor {
  /** The kind of token presented; a session counts as a user's. The command line acts as `admin`. */
  type: TokenType | "none";
  /** The `createdBy` of events: the user's e-mail, otherwise the username, or the token's name. */
  createdBy: string;
  /** The `createdByUserId` of events: the user, -42 for a service token, null for a command. */
  createdByUserId: number | null;
  /** The person behind a personal token or a session; a service token has none. */
  userId: number | null;
  /** Holds `ADMIN`: every permission, and every project is visible. */
  isAdmin: boolean;
  /** The SHA-256 of the session's secret, if one was presented: browsers send it by themselves. */
  session: string | null;
  /** The token that was presented. */
  tokenId: number | null;
  /** When the presented credential expires, RFC 3339; null for never. */
  expiresAt: string | null;
}

/** The `createdByUserId` of automatic changes (original). */
export const SYSTEM_USER_ID = -1337;

/** The `createdByUserId` of a service token's changes (original). */
export const SERVICE_USER_ID = -42;

/** The actor of the command line, which may do anything to its file. */
export const CLI: Actor = {
  type: "admin",
  createdBy: "cli",
  createdByUserId: null,
  userId: null,
  isAdmin: true,
  session: null,
  tokenId: null,
  expiresAt: null,
};

/** The actor of automatic changes, under the original's name. */
export const SYSTEM: Actor = { ...CLI, createdBy: "unleash_system_user", createdByUserId: SYSTEM_USER_ID };

/** The caller when no credential is required; their changes are recorded as the system's (original). */
export const ANYBODY: Actor = { ...SYSTEM, type: "none", isAdmin: false };
