import type { Actor } from "../access/actor.ts";
import type { Database } from "../db/database.ts";
import type { Reading } from "../db/statement.ts";
import type { writeSoon } from "../events/write.ts";
import type { FewAtOnce } from "./few-at-once.ts";
import type { Operation } from "./operation.ts";
import type { Past } from "./past.ts";
import type { ResponseCache } from "./response-cache.ts";
import type { Streams } from "./streams.ts";

export interface Site {
  db: Database;
  /** Prefixes the paths in responses. */
  root: string;
  /** All of them, since `If-Match` on one compares with what another returns. */
  operations: readonly Operation[];
  past: Past;
  write: typeof writeSoon;
  /** @throws ApiError while changes are refused. */
  requireWritable(db: Database): void;
  cache?: ResponseCache | undefined;
  streams: Streams;
  fewAtOnce: FewAtOnce;
}

declare module "h3" {
  interface H3EventContext {
    /** The caller; set for every path of a surface before it is routed. */
    actor: Actor;
    /** The queries that identified the caller. */
    readings: ReadonlySet<Reading>;
    /** The caller as of now. @throws ApiError if the credential is no longer valid */
    authenticate: () => Actor;
    /** The caller's address; undefined without a socket. */
    address: string | undefined;
    /** Whether the request came over TLS, to this server or to a trusted proxy. */
    isSecure: boolean;
    /** The first event that the request has recorded. */
    recorded?: number | undefined;
    /** The time that the response shows, RFC 3339, if it is not now. */
    at?: string | undefined;
    /** Set where pages of other sites may call: the headers that let them read the response, errors included. */
    cors?: Record<string, string>;
  }
}
