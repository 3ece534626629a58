import type { IncomingMessage, ServerResponse } from "node:http";
import { hashSecret, secretIn } from "../access/token.ts";
import { learnTokens } from "../applications/edge.ts";
import type { Database } from "../db/database.ts";
import { type Listener, refuse } from "../http/listener.ts";
import { isBelow, pathOf } from "../http/path.ts";
import type { Streams } from "../http/streams.ts";
import { ApiError } from "../lib/api-error.ts";
import { createBackground } from "../lib/background.ts";
import type { Log } from "../lib/logger.ts";
import { createServer } from "../server/app.ts";
import type { ServerOptions } from "../server/options.ts";
import { createMirror, isCovered, type Scope } from "./mirror.ts";
import { readSnapshot, writeSnapshot } from "./snapshot.ts";
import { createTokens } from "./tokens.ts";
import { fetchFlags, listenTo, RefusedError, type Upstream } from "./upstream.ts";
import { forward } from "./usage.ts";

export interface EdgeOptions
  extends Pick<ServerOptions, "basePath" | "trustsProxy" | "logsAccess" | "metrics"> {
  /** An empty database in memory. */
  db: Database;
  log: Log;
  upstream: Upstream;
  /** The secrets of tokens to fetch flags with from the start. */
  tokens: readonly string[];
  /** Where what is known is kept. */
  snapshot?: string | undefined;
  /** How often upstream is asked for flags, and usage sent on, in milliseconds. */
  pollMs: number;
  usageMs: number;
  /** How often upstream is asked whether tokens are still valid, in milliseconds. */
  checkMs: number;
}

interface Edge {
  listener: Listener;
  streams: Streams;
  /** Resolves once the first answers are there, or known not to come. */
  ready: Promise<void>;
  /** Sends on what has been reported, and writes the snapshot. */
  stop(): Promise<void>;
}

/**
 * A server for applications whose flags, tokens and usage are another server's. What it was told last, it serves for as
 * long as upstream is away.
 */
export function createEdge(options: EdgeOptions): Edge {
  const { db, log, snapshot, pollMs, usageMs, checkMs } = options;
  const aborter = new AbortController();
  const { signal } = aborter;
  const upstream = { ...options.upstream, options: { ...options.upstream.options, signal } };
  const mirror = createMirror(db);
  const trouble = createTrouble(log, upstream.url);
  if (snapshot !== undefined) readSnapshot(snapshot, mirror);
  const background = createBackground(log, "asking upstream");

  const refresh = async (secret: string) => {
    const hash = hashSecret(secret);
    const scope = mirror.scopes.get(hash);
    if (!scope || !mayFetch(scope)) return;
    const before = mirror.kept.get(hash);
    try {
      const found = await fetchFlags(upstream, secret, before?.etag);
      if (found || before) mirror.keep(hash, { scope, ...(found ?? before!), at: Date.now() });
      if (found && snapshot !== undefined) writeSnapshot(snapshot, mirror);
      trouble.over();
    } catch (error) {
      if (error instanceof RefusedError) mirror.dismiss(hash);
      trouble.because(error as Error);
    }
  };
  const followed = new Set<string>();
  const follow = async (secret: string) => {
    const scope = mirror.scopes.get(hashSecret(secret));
    if (!scope || !mayFetch(scope) || followed.has(secret) || isCovered(mirror, scope)) return;
    followed.add(secret);
    await refresh(secret);
    void listenTo(upstream, secret, () => void background.run(() => refresh(secret)), signal);
  };
  const tokens = createTokens(mirror, upstream, follow, trouble.because);
  const refreshAll = async () => {
    for (const secret of followed) await refresh(secret);
  };
  const send = () => forward(mirror, upstream, tokens.secrets).catch(trouble.because);
  const begin = async () => {
    await Promise.all(options.tokens.map((secret) => tokens.learn(secret)));
    // Those that a snapshot knows need not be asked about again.
    await Promise.all(options.tokens.map(follow));
  };
  background.every(pollMs, refreshAll);
  background.every(usageMs, send);
  background.every(checkMs, () => tokens.check().catch(trouble.because));

  const { listener, streams } = createServer({ ...options, db, log });
  const learning: Listener = async (request, response) => {
    const secret = secretIn(request.headers.authorization || headerOf(request, "x-api-key"));
    await tokens.learn(secret);
    const { environment } = mirror.scopes.get(hashSecret(secret ?? "")) ?? {};
    const isKnown = [...mirror.kept.values()].some(({ scope }) => scope.environment === environment);
    return answer(log, environment === undefined || isKnown, listener, request, response);
  };
  learnTokens(db, (secrets) => Promise.all(secrets.map(tokens.learn)));
  return {
    listener: learning,
    streams,
    ready: begin(),
    async stop() {
      await background.stop();
      await send();
      aborter.abort();
      if (snapshot !== undefined) writeSnapshot(snapshot, mirror);
    },
  };
}

/** A service token is for no environment, and a page's token is not for the flags themselves. */
const mayFetch = ({ type }: Scope) => type === "client" || type === "backend";

const headerOf = ({ headers }: IncomingMessage, name: string) => String(headers[name] ?? "");

/** Only what applications ask for; where no flags are known, an empty list would turn everything off. */
function answer(
  log: Log,
  hasFlags: boolean,
  listener: Listener,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const path = pathOf(request);
  if (isBelow("/api/admin", path) || isBelow("/auth", path) || isBelow("/invite", path))
    return refuse(
      log,
      new ApiError("NotFoundError", "An edge answers applications only: ask the server behind it"),
      request,
      response,
    );
  if (!hasFlags && (isBelow("/api", path) || isBelow("/ofrep", path)))
    return refuse(
      log,
      new ApiError(
        "ServiceUnavailableError",
        "This edge has no flags of the token's environment yet: it needs a backend token for that",
        {
          headers: { "retry-after": "5" },
        },
      ),
      request,
      response,
    );
  return listener(request, response);
}

/** Logs when upstream can't be asked, and when it can again, once each. */
function createTrouble(log: Log, url: string) {
  let reason: string | undefined;
  return {
    because({ message }: Error) {
      if (reason !== message) log({ level: "warn", message: `${url} can't be asked: ${message}` });
      reason = message;
    },
    over() {
      if (reason !== undefined) log({ level: "info", message: `${url} answers again` });
      reason = undefined;
    },
  };
}
