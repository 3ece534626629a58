import { learnTokens } from "../applications/edge-routes.ts";
import { take } from "../applications/reports.ts";
import type { Database } from "../db/database.ts";
import type { Listener } from "../http/listener.ts";
import type { Streams } from "../http/streams.ts";
import { createBackground } from "../lib/background.ts";
import type { Log } from "../lib/logger.ts";
import { MINUTE_MS } from "../lib/time.ts";
import { createServer } from "../server/app.ts";
import type { ServerOptions } from "../server/options.ts";
import { admitting, unknowable } from "./admission.ts";
import { ageOfAnswers } from "./age.ts";
import { createFollowing, createMirror } from "./mirror.ts";
import { snapshotIn } from "./snapshot.ts";
import { createTokens } from "./tokens.ts";
import { createTrouble, type Upstream } from "./upstream.ts";
import { forward } from "./usage.ts";

interface Serving extends Pick<ServerOptions, "basePath" | "trustsProxy" | "logsAccess" | "metrics"> {
  /** In memory. */
  db: Database;
  log: Log;
}

/** The database is empty. */
export interface EdgeOptions extends Serving {
  upstream: Upstream;
  /** The secrets of tokens to fetch flags with from the start. */
  tokens: readonly string[];
  /** Where what is known is kept. */
  snapshot?: string | undefined;
  /** How old answers may be before the edge is not ready any more, in milliseconds. */
  maxAgeMs?: number | undefined;
  /** How often upstream is asked for flags, and usage sent on, in milliseconds. */
  pollMs: number;
  usageMs: number;
  /** How often upstream is asked whether tokens are still valid, in milliseconds. */
  checkMs: number;
}

export interface Edge {
  listener: Listener;
  streams: Streams;
  /** Resolves once the first answers are there, or known not to come. */
  ready: Promise<void>;
  /** Sends on what has been reported, and writes the snapshot, with what upstream did not take. */
  stop(): Promise<void>;
}

/**
 * A server for applications whose flags, tokens and usage are another server's. What it was told last, it serves for as
 * long as upstream is away.
 */
export function createEdge(options: EdgeOptions): Edge {
  const { db, log, basePath = "", metrics, maxAgeMs = Infinity } = options;
  const aborter = new AbortController();
  const upstream = {
    ...options.upstream,
    options: { ...options.upstream.options, signal: aborter.signal },
  };
  const mirror = createMirror(db);
  const snapshot = snapshotIn(options.snapshot, mirror, log);
  const trouble = createTrouble(log, upstream);
  const follow = createFollowing(mirror, upstream, trouble);
  const tokens = createTokens(mirror, upstream, follow, trouble);

  const refresh = async () => {
    await Promise.all(options.tokens.map(tokens.learn));
    await Promise.all([...tokens.hashes].map(([secret, hash]) => follow(hash, secret)));
    snapshot.write();
  };
  const check = () => tokens.check().then(refresh);
  const send = () => trouble.noting("usage", () => forward(mirror, upstream, tokens.hashes));
  const background = createBackground(log, "asking upstream");
  background.every(options.pollMs, refresh);
  background.every(options.usageMs, send);
  background.every(options.checkMs, check);

  const age = ageOfAnswers(mirror, tokens, options.tokens, maxAgeMs);
  metrics?.gauge(
    "flagstone_edge_age_seconds",
    "Age of the oldest flags that are served",
    () => age.most() / 1000,
  );
  learnTokens(db, async (secrets) => {
    const known = await Promise.all(secrets.map(tokens.learn));
    if (known.includes(false)) throw unknowable();
  });
  const ahead = admitting({ basePath, learn: tokens.learn, ageOf: age.of, unready: age.unready });
  const { listener, streams } = createServer({ ...options, db, log, ahead, introduction });
  return {
    listener,
    streams,
    ready: background.run(refresh),
    async stop() {
      await background.stop();
      await send();
      aborter.abort();
      snapshot.write(take(db));
    },
  };
}

const introduction = (
  address: string,
) => `<p>An edge: it answers applications with the flags of another server, and has
no page and no admin API of its own. With a token of that server:</p>
<pre>curl -H "Authorization: TOKEN" ${address}/api/client/features</pre>`;

/**
 * A server for applications whose flags and tokens are in the database. What they report is not kept.
 * @param options.writtenAt when what is served was written, in milliseconds
 */
export function createOffline(options: Serving & { writtenAt: () => number }): Edge {
  const { db, log, basePath = "", writtenAt } = options;
  const background = createBackground(log, "forgetting usage");
  background.every(MINUTE_MS, async () => void take(db));
  const ageOf = () => Math.max(0, Date.now() - writtenAt());
  const ahead = admitting({ basePath, learn: () => true, ageOf, unready: () => undefined });
  const { listener, streams } = createServer({ ...options, ahead, introduction });
  return { listener, streams, ready: Promise.resolve(), stop: background.stop };
}
