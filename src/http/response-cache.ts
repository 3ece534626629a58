import type { IncomingMessage, ServerResponse } from "node:http";
import { hasEnded } from "../auth/token.ts";
import { BoundedMap } from "../bounded-map.ts";
import { dataVersion } from "../db/data-version.ts";
import { isCurrent, type Stamp } from "../db/revision.ts";
import { snapshot } from "../db/snapshot.ts";
import type { Database } from "../db/statement.ts";
import { startOfMinute } from "../minute.ts";
import { credentialsOf } from "./credentials.ts";
import { encodingFor } from "./encoding.ts";
import type { Listener } from "./listener.ts";
import { pathOf } from "./path.ts";
import { isRead, type Parts, withoutLength } from "./response.ts";
import { isKnown } from "./tag.ts";

/*
 * Most reads are repeated with no change in between. Answers are cached by caller, URL and compression, and those to a
 * POST that only reads, such as a search, by its body too. An entry is valid while this process has changed none of the
 * tables it was read from, and other processes have changed nothing at all.
 */

/** The size limit of the cache, bodies and keys together, in bytes; the oldest entries are evicted first. */
const KEPT_BYTES = 16 * 1024 * 1024;

export interface ResponseCache {
  /** Answers from the cache, and passes everything else to the listener. */
  first(listener: Listener): Listener;
  /** Has others that ask for the same wait for an answer that is being compressed, rather than make it once more. */
  expect(request: IncomingMessage, stamp: Stamp, made: Promise<unknown>): void;
  /** The cached answer to a read by POST. @param body as it was sent */
  find(request: IncomingMessage, body: string): Parts | undefined;
  /** Caches the answer to a read; for a POST, only if it was looked up before. */
  keep(request: IncomingMessage, answer: Parts, limits: Limits): void;
}

/** How long an entry is valid. */
interface Limits {
  /** What it was read from. */
  stamp: Stamp;
  /** When it expires, for example with the caller's credential, RFC 3339; null for never. */
  until: string | null;
}

interface Kept extends Limits {
  headers: Parts["headers"];
  /** The headers of a 304. */
  headersAlone: Record<string, string>;
  body: Parts["body"];
}

export function createResponseCache(db: Database): ResponseCache {
  const kept = new BoundedMap<string, Kept>(KEPT_BYTES);
  /** Cache misses: the state when the request came, and the key for its answer. */
  const asked = new WeakMap<IncomingMessage, { state: string; key?: string }>();
  /** Answers that are being compressed; whether they get cached shows when they are done. */
  const coming = new Map<string, { stamp: Stamp; done: Promise<void> }>();
  let since = "";

  const stateNow = () => {
    const now = stateOf(db);
    if (now === since) return now;
    kept.clear();
    coming.clear();
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

  const soon = (request: IncomingMessage) => {
    const one = coming.get(asked.get(request)?.key ?? "");
    return one && isCurrent(db, one.stamp) ? one.done : undefined;
  };

  const answer = (
    listener: Listener,
    request: IncomingMessage,
    response: ServerResponse,
    waits: boolean,
  ): unknown => {
    const found = find(request);
    if (found) return send(found, request, response);
    const done = waits ? soon(request) : undefined;
    if (done) return done.then(() => response.destroyed || answer(listener, request, response, false));
    // All reads of a request see one state; SQLite then makes its system calls once and not per statement.
    let result: unknown;
    snapshot(db, () => {
      result = listener(request, response); // a transaction must not return a promise
    });
    return result;
  };

  return {
    first: (listener) => (request, response) => {
      if (!asksApi(request)) return listener(request, response);
      if (isRead(request)) return answer(listener, request, response, true);
      asked.set(request, { state: stateNow() });
      return listener(request, response);
    },
    expect(request, stamp, made) {
      const { state, key } = asked.get(request) ?? {};
      if (key === undefined || state !== since) return;
      const forget = () => void (coming.get(key) === one && coming.delete(key));
      const one = { stamp, done: made.then(forget, forget) };
      coming.set(key, one);
    },
    find,
    // Stored under the state before it was read; if that is outdated by now, no later request will find it.
    keep(request, { headers, body }, limits) {
      const { state, key } = asked.get(request) ?? {};
      if (key === undefined || state !== since) return;
      const size = Number(headers["content-length"]) + key.length;
      kept.set(key, { headers, headersAlone: withoutLength(headers), body, ...limits }, size);
    },
  };
}

function send(
  { headers, headersAlone, body }: Kept,
  { method, headers: given }: IncomingMessage,
  response: ServerResponse,
) {
  if (isKnown(given["if-none-match"], headers.etag)) return response.writeHead(304, headersAlone).end();
  return response.writeHead(200, headers).end(method === "HEAD" ? undefined : body);
}

/** Whether it presents a credential: endpoints without one, such as /health, must not depend on the file. */
const asksApi = (request: IncomingMessage) =>
  credentialsOf(request).some((value) => value !== undefined) && pathOf(request).includes("/api/");

/** A JSON list, so that keys can't collide. An SDK's answers depend on the version of the specification it follows. */
const keyOf = (request: IncomingMessage, body: string) =>
  JSON.stringify([
    ...credentialsOf(request),
    request.headers["unleash-client-spec"],
    encodingFor(request.headers["accept-encoding"]),
    request.url,
    body,
  ]);

/**
 * Identifies the state that answers were read from: the changes of other processes, and the minute, because a flag's
 * age depends on it. Read at each request, although that costs two file locks: one turn of the event loop may serve a
 * request sent after a change that an earlier request of the same turn did not see.
 */
const stateOf = (db: Database) => `${dataVersion(db)} ${startOfMinute()}`;
