import type { Database } from "../db/database.ts";
import type { AuthProxy } from "../http/auth-proxy.ts";
import type { Listener } from "../http/listener.ts";
import type { LoadUi } from "../http/page.ts";
import type { ResponseCache } from "../http/response-cache.ts";
import type { Log } from "../lib/logger.ts";
import type { GivenWays } from "../settings/oidc-schema.ts";
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
  /** A provider that people may sign in with, in place of the stored one; needs `publicUrl`. */
  oidc?: GivenWays["oidc"];
  /** How providers are asked. */
  sending?: GivenWays["sending"];
  /** The time that it shows, or the id of an event: nothing can be changed then. */
  at?: string | undefined;
  /** Logs a line for each request. */
  logsAccess?: boolean;
  /** Accepts posts to `/inbox/NAME`, and lists them. */
  inbox?: boolean;
  /** Served at their own path, if given. */
  metrics?: Metrics | undefined;
  /** Loads the page's files; without it, there is only the API. */
  ui?: LoadUi | undefined;
  /** Comes before everything that answers. */
  ahead?: (listener: Listener) => Listener;
  /** Caches responses to reads. */
  cache?: ResponseCache;
}

/** A proxy that signs people in. */
export interface SigningProxy extends AuthProxy {
  /** The name of the root role of people who are created at their first sign-in; undefined to refuse them. */
  role: string | undefined;
  /** Where a sign-out leads; undefined for the home page. */
  logout: string | undefined;
}
