import type { Database } from "../db/database.ts";
import type { Log } from "../lib/logger.ts";
import type { GivenWays } from "./oidc-schema.ts";
import type { AuthProxy } from "./proxy-headers.ts";

/** What signing in depends on. */
export interface SignInOptions {
  db: Database;
  log: Log;
  /** The prefix of every path, such as `/flags`. */
  basePath?: string;
  /** The URL clients use, including the base path; without it, links in responses are relative. */
  publicUrl?: string;
  /** A proxy in front of this server reports the client's address. */
  trustsProxy?: boolean;
  /** A proxy in front of this server says who people are. */
  authProxy?: SigningProxy | undefined;
  /** A provider that people may sign in with, in place of the stored one; needs `publicUrl`. */
  oidc?: GivenWays["oidc"];
  /** How providers are asked. */
  sending?: GivenWays["sending"];
}

/** A proxy that signs people in. */
export interface SigningProxy extends AuthProxy {
  /** The name of the root role of people who are created at their first sign-in; undefined to refuse them. */
  role: string | undefined;
  /** Where a sign-out leads; undefined for the home page. */
  logout: string | undefined;
}
