import type { Database } from "../db/database.ts";
import type { AuthProxy } from "../http/auth-proxy.ts";
import type { LoadUi } from "../http/page.ts";
import type { ResponseCache } from "../http/response-cache.ts";
import type { Log } from "../lib/logger.ts";
import type { Admission } from "../people/identities.ts";
import type { Metrics } from "./metrics.ts";

/** What a server is made of. */
export interface ServerOptions {
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
  /** A provider that people may sign in with; needs `publicUrl`. */
  oidc?: Oidc | undefined;
  /** Logs a line for each request. */
  logsAccess?: boolean;
  /** Accepts posts to `/inbox/NAME`, and lists them. */
  inbox?: boolean;
  /** Served at their own path, if given. */
  metrics?: Metrics | undefined;
  /** Loads the page's files; without it, there is only the API. */
  ui?: LoadUi | undefined;
  /** Caches responses to reads. */
  cache?: ResponseCache;
}

/** A proxy that signs people in. */
export interface SigningProxy extends AuthProxy {
  /** The root role of people who are created at their first sign-in; undefined to refuse them. */
  role: number | undefined;
  /** Where a sign-out leads; undefined for the home page. */
  logout: string | undefined;
}

/** A provider of identities (OpenID Connect), as the operator has configured it. */
export interface Oidc {
  /** The issuer, or the address of its discovery document. */
  discoverUrl: string;
  clientId: string;
  clientSecret: string;
  /** Such as RS256; tokens signed otherwise are refused. */
  algorithm: string;
  scopes: readonly string[];
  /** Of which the sign-in must have had one; any if it is empty. */
  acrValues: readonly string[];
  /** Where the claims name groups, such as `realm_access.roles`; undefined if groups are not followed. */
  groupPath: string | undefined;
  admission: Admission;
}
