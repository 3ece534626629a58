import type { IncomingMessage } from "node:http";
import { hasEnded } from "../auth/token.ts";
import { isCurrent, type Stamp } from "../db/revision.ts";
import { snapshot } from "../db/snapshot.ts";
import type { Database } from "../db/statement.ts";
import { startOfMinute } from "../minute.ts";
import { encodingFor } from "./encoding.ts";
import type { Listener } from "./listener.ts";
import { pathOf } from "./path.ts";
import { isRead, type Parts, withoutLength } from "./response.ts";
import { isKnown } from "./tag.ts";

/*
 * Reads are mostly repeated, and mostly nothing has changed between. Answers are kept by caller, URL and compression,
 * and of a POST that only reads, such as a search, by its body too. One counts as long as no table that it was made of
 * has been changed by this process, and nothing at all by another.
 */

/** How many bytes of bodies, and of what they are kept by, are kept; the oldest go first. */
const KEPT_BYTES = 16 * 1024 * 1024;

export interface ResponseCache {
  /** Answers what is kept; the listener gets the rest. */
  first(listener: Listener): Listener;
  /** The answer that is kept to a read by POST. @param body as it was sent */
  find(request: IncomingMessage, body: string): Parts | undefined;
  /** Keeps the answer to a read; to one by POST, if it was looked for before. */
  keep(request: IncomingMessage, answer: Parts, limits: Limits): void;
}

/** How long an answer counts. */
interface Limits {
  /** What it was made of. */
  stamp: Stamp;
  /** When it ends by itself, such as the caller's credential does, RFC 3339; null for never. */
  until: string | null;
}

interface Kept extends Limits {
  headers: Parts["headers"];
  /** Those of a 304. */
  headersAlone: Record<string, string>;
  body: Parts["body"];
  size: number;
}

export function createResponseCache(db: Database): ResponseCache {
  const state = stateOf(db);
  const kept = new Map<string, Kept>();
  /** Requests that were not found here: the state when they came, and what their answers are kept by. */
  const asked = new WeakMap<IncomingMessage, { state: string; key?: string }>();
  let total = 0;
  let since = "";

  const drop = (key: string) => {
    total -= kept.get(key)?.size ?? 0;
    kept.delete(key);
  };

  const stateNow = () => {
    const now = state();
    if (now === since) return now;
    kept.clear();
    total = 0;
    since = now;
    return now;
  };

  const find = (request: IncomingMessage, body = "") => {
    const now = stateNow();
    const key = keyOf(request, body);
    const answer = kept.get(key);
    if (answer && !hasEnded(answer.until) && isCurrent(db, answer.stamp)) return answer;
    asked.set(request, { state: asked.get(request)?.state ?? now, key });
    return undefined;
  };

  return {
    first: (listener) => (request, response) => {
      if (!asksApi(request)) return listener(request, response);
      if (!isRead(request)) {
        asked.set(request, { state: stateNow() });
        return listener(request, response);
      }
      const answer = find(request);
      // All that one read reads is of one state; SQLite asks the system once for it instead of at each statement.
      if (!answer) {
        let result: unknown;
        snapshot(db, () => {
          result = listener(request, response); // a promise would be a mistake as the result of a transaction
        });
        return result;
      }
      const { headers, headersAlone, body } = answer;
      if (isKnown(request.headers["if-none-match"], headers.etag))
        return response.writeHead(304, headersAlone).end();
      return response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : body);
    },
    find,
    // It counts for the state before it was read; if that was over by then, nothing that is asked later finds it.
    keep(request, { headers, body }, limits) {
      const { state, key } = asked.get(request) ?? {};
      if (key === undefined || state !== since) return;
      const size = Number(headers["content-length"]) + key.length;
      drop(key);
      kept.set(key, { headers, headersAlone: withoutLength(headers), body, size, ...limits });
      total += size;
      for (const oldest of kept.keys()) {
        if (total <= KEPT_BYTES) break;
        drop(oldest);
      }
    },
  };
}

/** Whether it needs a credential and has one: what needs none, such as /health, must not need the file either. */
const asksApi = (request: IncomingMessage) =>
  CREDENTIALS.some((name) => request.headers[name] !== undefined) && pathOf(request).includes("/api/");

/** The headers that a caller may be told by. */
const CREDENTIALS = ["authorization", "x-api-key", "cookie"] as const;

/** As a list in JSON, so that no two requests have the same. An SDK's answers depend on the specification it follows. */
const keyOf = ({ headers, url }: IncomingMessage, body: string) =>
  JSON.stringify([
    ...CREDENTIALS.map((name) => headers[name]),
    headers["unleash-client-spec"],
    encodingFor(headers["accept-encoding"]),
    url,
    body,
  ]);

/**
 * Tells one state of what any answer may be made of from another: the changes of other processes, and the minute,
 * by which the age of a flag is reckoned. It is asked at each request, although that is two file locks: one turn of
 * the event loop may bring a request that was sent after a change which another request of that turn came before.
 */
function stateOf(db: Database) {
  const others = db.prepare<[], number>("PRAGMA data_version").pluck();
  return () => `${others.get()} ${startOfMinute()}`;
}
