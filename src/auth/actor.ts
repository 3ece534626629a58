import type { TokenType } from "./token.ts";

/** Who asks or acts. Made by `authenticate`, or by a command. */
export interface Actor {
  /** The kind of token presented, a session counts as a user's; a command line acts as `admin`. */
  type: TokenType | "none";
  /** What events say as `createdBy`: the user's e-mail, else username, or the token's name. */
  createdBy: string;
  /** The `createdByUserId` of events: the user, -42 for a service token, null for a command. */
  createdByUserId: number | null;
  /** The person behind a personal token or a session; a service token has none. */
  userId: number | null;
  /** Holds `ADMIN`: every permission, and every project is visible. */
  isAdmin: boolean;
  /** The SHA-256 of a session's secret, where that was presented: browsers send it of their own accord. */
  session: string | null;
  /** The token that was presented. */
  tokenId: number | null;
  /** When the credential presented ends, RFC 3339; null for never. */
  expiresAt: string | null;
}

/** The `createdByUserId` of what nobody did (original). */
export const SYSTEM_USER_ID = -1337;

/** The `createdByUserId` of what a service token does (original). */
export const SERVICE_USER_ID = -42;

/** The actor of the command line, which may do everything to the file it was given. */
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

/** Whoever does what comes of itself as time passes, by the original's name. */
export const SYSTEM: Actor = { ...CLI, createdBy: "unleash_system_user", createdByUserId: SYSTEM_USER_ID };

/** Who asks where no credential is needed. */
export const ANYBODY: Actor = {
  type: "none",
  createdBy: "system",
  createdByUserId: SYSTEM_USER_ID,
  userId: null,
  isAdmin: false,
  session: null,
  tokenId: null,
  expiresAt: null,
};
