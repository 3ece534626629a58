import type { H3 } from "h3";
import { toNodeHandler } from "h3/node";
import type { Database } from "../db/statement.ts";
import { withAccessLog } from "../http/access-log.ts";
import { guarded, type Listener } from "../http/listener.ts";
import type { LoadUi } from "../http/page.ts";
import { createResponseCache, type ResponseCache } from "../http/response-cache.ts";
import { createStreams, type Streams } from "../http/streams.ts";
import type { Log } from "../log.ts";
import { buildApp } from "./app.ts";
import type { Metrics } from "./metrics.ts";

export interface ServerOptions {
  db: Database;
  log: Log;
  /** What every path begins with, such as `/flags`. */
  basePath?: string;
  /** Where clients find it, the base path included; what answers name is relative without. */
  publicUrl?: string;
  /** A proxy stands before this server and says who asks. */
  trustsProxy?: boolean;
  /** A line for each request. */
  logsAccess?: boolean;
  /** Takes what is posted to `/inbox/NAME`, and lists it. */
  inbox?: boolean;
  /** Told at its own path where it is given. */
  metrics?: Metrics | undefined;
  /** Where what runs in the browser comes from; without it the API is all there is. */
  ui?: LoadUi | undefined;
  /** Where answers to reads are kept. */
  cache?: ResponseCache;
}

/**
 * The one place where a server is put together: the app, for requests without a socket, and what listens in front of
 * it, where what is kept is answered before the app is asked.
 */
export function createServer(options: ServerOptions): { app: H3; listener: Listener; streams: Streams } {
  const { db, log, metrics, cache = createResponseCache(db), trustsProxy = false, logsAccess } = options;
  const streams = createStreams(db, log);
  const app = buildApp({ ...options, cache, streams });
  const guard = guarded(log, cache.first(toNodeHandler(app) as Listener));
  const measured = metrics?.measured(guard) ?? guard;
  return { app, listener: logsAccess ? withAccessLog(log, trustsProxy, measured) : measured, streams };
}
