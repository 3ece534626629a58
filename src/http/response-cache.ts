import type { IncomingMessage, ServerResponse } from "node:http";
import { isExpired } from "../access/token.ts";
import { type Database, dataVersion, snapshot } from "../db/database.ts";
import { isCurrent, type Stamp } from "../db/revision.ts";
import { endOfTurn } from "../lib/background.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { startOfMinute } from "../lib/time.ts";
import { encodingFor } from "./encoding.ts";
import type { Listener } from "./listener.ts";
import { credentialsOf } from "./origin.ts";
import { pathOf } from "./path.ts";
import { isRead, matches, type Parts, withoutLength } from "./response.ts";

/*
 * Most reads are repeated with no change in between. Responses are cached by caller, URL and compression, and
 * those to a POST that only reads, such as a search, by its body too. An entry is valid while this process has changed
 * none of the tables it was read from, and other processes have changed nothing at all.
 */

/** The size limit of the cache, bodies and keys together, in bytes; the oldest entries are evicted first. */
const MAX_BYTES = 16 * 1024 * 1024;

/** How long an entry is valid. */
interface Limits {
  /** The tables it was read from. */
  stamp: Stamp;
  /** When it expires, for example with the caller's credential, RFC 3339; null for never. */
  until: string | null;
}

interface Entry extends Limits {
  headers: Parts["headers"];
  /** The headers of a 304. */
  headersAlone: Record<string, string>;
  body: Parts["body"];
}

/** A response in progress; whether it is cached is known once it is done. */
interface Pending {
  stamp: Stamp;
  done: Promise<void>;
}

type ProxyUser = (request: IncomingMessage) => string | undefined;

export class ResponseCache {
  readonly #db: Database;
  readonly #proxyUser: ProxyUser;
  readonly #entries = new BoundedMap<string, Entry>(MAX_BYTES);
  readonly #pending = new Map<string, Pending>();
  /** Cache misses: the state when the request arrived, and the key for its response. */
  readonly #misses = new WeakMap<IncomingMessage, { state: string; key?: string }>();
  #state = "";

  /** @param proxyUser whom a trusted proxy names in a request, which is a part of who the caller is */
  constructor(db: Database, proxyUser: ProxyUser = () => undefined) {
    this.#db = db;
    this.#proxyUser = proxyUser;
  }

  /** Responds from the cache, and passes everything else to the listener. */
  before(listener: Listener): Listener {
    return (request, response) => {
      if (!isAuthenticatedApiRequest(request)) return listener(request, response);
      if (isRead(request)) return this.#respond(listener, request, response, true);
      this.#misses.set(request, { state: this.#stateNow() });
      return listener(request, response);
    };
  }

  /** The cached response. @param body of a POST that only reads, as it was sent */
  get(request: IncomingMessage, body = ""): Entry | undefined {
    const state = this.#stateNow();
    const key = keyOf(request, body, this.#proxyUser(request));
    const entry = this.#entries.get(key);
    if (entry && !isExpired(entry.until) && isCurrent(this.#db, entry.stamp)) return entry;
    this.#misses.set(request, { state: this.#misses.get(request)?.state ?? state, key });
    return undefined;
  }

  /** Caches the response to a read; for a POST, only if it was looked up before. */
  put(request: IncomingMessage, { headers, body }: Parts, limits: Limits) {
    const key = this.#keyFor(request);
    if (key === undefined) return;
    const size = Number(headers["content-length"]) + key.length;
    this.#entries.set(key, { headers, headersAlone: withoutLength(headers), body, ...limits }, size);
  }

  /** Makes equal requests wait for a response in progress, rather than compute it again. */
  expect(request: IncomingMessage, stamp: Stamp, made: Promise<unknown>) {
    const key = this.#keyFor(request);
    if (key === undefined) return;
    const remove = () => void (this.#pending.get(key) === pending && this.#pending.delete(key));
    const pending = { stamp, done: made.then(remove, remove) };
    this.#pending.set(key, pending);
  }

  #respond(
    listener: Listener,
    request: IncomingMessage,
    response: ServerResponse,
    mayWait: boolean,
  ): unknown {
    const found = this.get(request);
    if (found) return endOfTurn().then(() => response.destroyed || send(found, request, response));
    const done = mayWait ? this.#pendingFor(request) : undefined;
    if (done) return done.then(() => response.destroyed || this.#respond(listener, request, response, false));
    // All reads of a request see one state, and SQLite makes its system calls once instead of per statement.
    return snapshot(this.#db, () => listener(request, response));
  }

  /** The key to cache a response under; undefined if the state has changed since the request arrived. */
  #keyFor(request: IncomingMessage): string | undefined {
    const miss = this.#misses.get(request);
    return miss?.state === this.#state ? miss.key : undefined;
  }

  #pendingFor(request: IncomingMessage): Promise<void> | undefined {
    const pending = this.#pending.get(this.#misses.get(request)?.key ?? "");
    return pending && isCurrent(this.#db, pending.stamp) ? pending.done : undefined;
  }

  /** The current state; a new one empties the cache. */
  #stateNow(): string {
    const state = stateOf(this.#db);
    if (state === this.#state) return state;
    this.#entries.clear();
    this.#pending.clear();
    this.#state = state;
    return state;
  }
}

function send(
  { headers, headersAlone, body }: Entry,
  { method, headers: given }: IncomingMessage,
  response: ServerResponse,
) {
  if (matches(given["if-none-match"], headers.etag)) return response.writeHead(304, headersAlone).end();
  return response.writeHead(200, headers).end(method === "HEAD" ? undefined : body);
}

/** Whether it presents a credential: endpoints without one, such as /health, must not depend on the file. */
const isAuthenticatedApiRequest = (request: IncomingMessage) =>
  credentialsOf(request).some((value) => value !== undefined) && pathOf(request).includes("/api/");

/** A JSON list, so that keys can't collide. What an SDK gets depends on the version of the specification it follows. */
const keyOf = (request: IncomingMessage, body: string, proxyUser: string | undefined) =>
  JSON.stringify([
    ...credentialsOf(request),
    proxyUser,
    request.headers["unleash-client-spec"],
    encodingFor(request.headers["accept-encoding"]),
    request.url,
    body,
  ]);

/**
 * Identifies the state that responses were read from: the changes of other processes, and the minute, because a flag's
 * age depends on it. Read at each request, although that costs two file locks: one turn of the event loop may serve a
 * request sent after a change that an earlier request of the same turn did not see.
 */
const stateOf = (db: Database) => `${dataVersion(db)} ${startOfMinute()}`;
