import type { TokenType } from "./token.ts";

/** Who asks or acts. Made by `authenticate`, or by a command. */
export interface Actor {
  /** The kind of token presented; a command line acts as `admin`. */
  type: TokenType;
  /** What events say as `createdBy`: the user's e-mail, else username, or the token's name. */
  createdBy: string;
  /** The `createdByUserId` of events: the user, -42 for a service token, null for a command. */
  createdByUserId: number | null;
  /** The person behind a personal token; a service token has none. */
  userId: number | null;
  /** Holds `ADMIN`: every permission, and every project is visible. */
  isAdmin: boolean;
  /** When the token presented ends, RFC 3339; null for never. */
  expiresAt: string | null;
}

/** The actor of the command line, which may do everything to the file it was given. */
export const CLI: Actor = {
  type: "admin",
  createdBy: "cli",
  createdByUserId: null,
  userId: null,
  isAdmin: true,
  expiresAt: null,
};

/** The `createdByUserId` of what a service token does (original). */
export const SERVICE_USER_ID = -42;
