import type { H3 } from "h3";
import { toNodeHandler } from "h3/node";
import type { Database } from "../db/statement.ts";
import { withAccessLog } from "../http/access-log.ts";
import { guarded, type Listener } from "../http/listener.ts";
import type { LoadUi } from "../http/page.ts";
import { ResponseCache } from "../http/response-cache.ts";
import { createStreams, type Streams } from "../http/streams.ts";
import type { Log } from "../lib/logger.ts";
import { buildApp } from "./app.ts";
import type { Metrics } from "./metrics.ts";

export interface ServerOptions {
  db: Database;
  log: Log;
  /** The prefix of every path, such as `/flags`. */
  basePath?: string;
  /** The URL clients use, including the base path; without it, links in responses are relative. */
  publicUrl?: string;
  /** A proxy in front of this server reports the client's address. */
  trustsProxy?: boolean;
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

/**
 * The one place where a server is assembled: the app, for requests without a socket, and the listener in front of it,
 * which answers from the cache before the app is called.
 */
export function createServer(options: ServerOptions): { app: H3; listener: Listener; streams: Streams } {
  const { db, log, metrics, cache = new ResponseCache(db), trustsProxy = false, logsAccess } = options;
  const streams = createStreams(db, log);
  const app = buildApp({ ...options, cache, streams });
  const guard = guarded(log, cache.before(toNodeHandler(app) as Listener));
  const measured = metrics?.measured(guard) ?? guard;
  return { app, listener: logsAccess ? withAccessLog(log, trustsProxy, measured) : measured, streams };
}
