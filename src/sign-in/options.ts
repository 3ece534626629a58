import type { Database } from "../db/database.ts";
import type { Reached } from "../http/origin.ts";
import type { Log } from "../lib/logger.ts";
import type { GivenWays } from "./oidc-schema.ts";
import type { AuthProxy } from "./proxy-headers.ts";

/** What signing in depends on. */
export interface SignInOptions extends Reached {
  db: Database;
  log: Log;
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
