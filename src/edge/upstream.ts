import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import * as v from "valibot";
import { ask, type Connection, explainNetworkError, refusalOf } from "../http/other-server.ts";
import type { Log } from "../lib/logger.ts";
import { parsedJson } from "../lib/text.ts";

/** The version of the client specification that our flags follow, with segments apart. */
const SPECIFICATION = "5.2.0";

/** An application's flags, as upstream has them. */
export const Copy = v.looseObject({
  features: v.array(v.looseObject({ name: v.string(), project: v.optional(v.string()) })),
  segments: v.optional(v.array(v.looseObject({ id: v.number() }))),
  meta: v.optional(
    v.looseObject({
      revisionId: v.optional(v.number()),
      privateSegments: v.optional(v.record(v.string(), v.array(v.string()))),
    }),
  ),
});
export type Copy = v.InferOutput<typeof Copy>;

/** A server to ask on behalf of applications; each question has its own token. */
export interface Upstream extends Omit<Connection, "token"> {
  /** How long an answer may take. */
  timeoutMs: number;
}

interface Question {
  token?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: object;
}

/** Asks, and reads the answer. @throws Error also if that takes too long */
async function asking<T>(
  upstream: Upstream,
  path: string,
  { token = "", headers, body }: Question,
  read: (response: IncomingMessage) => T | Promise<T>,
): Promise<T> {
  const { timeoutMs, options } = upstream;
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = options.signal ? AbortSignal.any([limit, options.signal]) : limit;
  const method = body ? "POST" : "GET";
  const all = { ...headers, ...(body && { "content-type": "application/json" }) };
  try {
    const sent = { method, headers: all, signal };
    return await read(await ask({ ...upstream, token }, path, sent, body && JSON.stringify(body)));
  } catch (error) {
    throw limit.aborted ? new Error(`it took longer than ${timeoutMs / 1000} seconds`) : error;
  }
}

/** What was fetched with a token. */
export interface Fetched {
  copy: Copy;
  etag: string | undefined;
  /** When the server that makes changes said so last, in milliseconds by our clock. */
  at: number;
}

/**
 * The flags of a token; those from before, if upstream says that they are the same.
 * @throws Error for anything else
 */
export function fetchFlags(upstream: Upstream, token: string, before?: Fetched): Promise<Fetched> {
  const headers = {
    "unleash-client-spec": SPECIFICATION,
    "unleash-appname": "flagstone-edge",
    ...(before?.etag !== undefined && { "if-none-match": before.etag }),
  };
  const askedAt = Date.now();
  return asking(upstream, "/api/client/features", { token, headers }, async (response) => {
    const at = askedAt - 1000 * (Number(response.headers.age) || 0); // of another edge
    if (response.statusCode === 304 && before) {
      response.resume();
      return { ...before, at };
    }
    const now = { copy: await answerOf(upstream, response, Copy), etag: response.headers.etag, at };
    return before && isOlder(now, before) ? before : now;
  });
}

/** Whether an edge upstream has forgotten what it told us; a server's lower revision is newer: it was restored. */
const isOlder = (now: Fetched, before: Fetched) =>
  revisionOf(now) < revisionOf(before) && now.at <= before.at + AGE_STEP_MS;

const revisionOf = ({ copy }: Fetched) => copy.meta?.revisionId ?? 0;

/** Ages are told in whole seconds, rounded down. */
const AGE_STEP_MS = 1000;

/** The tokens among these that upstream knows, with what they open; Unleash 6 leaves the environment to their names. */
export async function validTokens(upstream: Upstream, tokens: readonly string[]) {
  const known = await asking(upstream, "/edge/validate", { body: { tokens } }, (response) =>
    answerOf(upstream, response, Known),
  );
  return known.tokens.map(({ token, type, projects = ["*"], environment = environmentIn(token) }) => ({
    token,
    type,
    projects,
    environment,
  }));
}

/** PROJECT:ENVIRONMENT.SECRET */
const environmentIn = (token: string) => /^[^:]*:([^.]+)\./.exec(token)?.[1] ?? "*";

/** Servers may tell more of a token. */
const Known = v.looseObject({
  tokens: v.array(
    v.looseObject({
      token: v.string(),
      type: v.picklist(["client", "frontend", "admin", "backend"]),
      projects: v.optional(v.array(v.string())),
      environment: v.optional(v.string()),
    }),
  ),
});

/** Sends on what applications have reported. */
export const sendUsage = (upstream: Upstream, token: string, report: object) =>
  asking(upstream, "/api/client/metrics/bulk", { token, body: report }, async (response) => {
    if (response.statusCode !== 202 && response.statusCode !== 200)
      throw new Error(await refusalOf({ ...upstream, token }, response));
    response.resume();
  });

/** The answer as it is, with its keys in order, if it has the shape. */
async function answerOf<S extends v.GenericSchema>(
  upstream: Upstream,
  response: IncomingMessage,
  schema: S,
): Promise<v.InferInput<S>> {
  if (response.statusCode !== 200) throw new Error(await refusalOf({ ...upstream, token: "" }, response));
  const value = parsedJson(await text(response));
  if (value === undefined)
    throw new Error(`${upstream.url} did not answer with JSON: is it an Unleash or a Flagstone?`);
  const result = v.safeParse(schema, value);
  if (result.success) return value as v.InferInput<S>;
  const [issue] = result.issues;
  throw new Error(
    `${upstream.url} answered with something else: ${v.getDotPath(issue) ?? ""} ${issue.message}`,
  );
}

/** How long after its end the stream is tried again, in milliseconds. */
const AGAIN_MS = 5000;

/**
 * Calls back whenever upstream's stream says something, until the signal, or upstream's, is aborted; ends at once where
 * there is no stream.
 */
export async function listenTo(upstream: Upstream, token: string, onMessage: () => void, end: AbortSignal) {
  const signal = AbortSignal.any([end, upstream.options.signal ?? end]);
  const headers = { accept: "text/event-stream", "unleash-client-spec": SPECIFICATION };
  while (!signal.aborted) {
    const response = await ask({ ...upstream, token }, "/api/client/streaming", { headers, signal }).catch(
      () => undefined,
    );
    const isStream = response?.headers["content-type"]?.startsWith("text/event-stream");
    if (response && !isStream) return void response.destroy();
    try {
      for await (const chunk of response ?? []) if (String(chunk).includes("data:")) onMessage();
    } catch {
      // It ends with the connection, and is tried again.
    }
    if (signal.aborted) return;
    onMessage();
    await setTimeout(AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}

export interface Trouble {
  /** Asks upstream, and logs why that can't be done, once. @param what is asked @returns whether it was answered */
  noting(what: string, ask: () => Promise<unknown>): Promise<boolean>;
  /** From now on, that need not be asked. */
  forget(what: string): void;
}

/** Logs when upstream can't be asked something, and when all that it could not be asked has been answered. */
export function createTrouble(log: Log, { url, options }: Upstream): Trouble {
  const reasons = new Map<string, string>();
  const note = (what: string, reason: string) => {
    const isNew = ![...reasons.values()].includes(reason);
    reasons.set(what, reason);
    if (isNew) log({ level: "warn", message: `${url} can't be asked: ${reason}` });
  };
  const forget = (what: string) => {
    if (reasons.delete(what) && reasons.size === 0) log({ level: "info", message: `${url} answers again` });
  };
  return {
    forget,
    async noting(what, ask) {
      try {
        await ask();
      } catch (error) {
        if (!options.signal?.aborted) note(what, explainNetworkError(error as Error));
        return false;
      }
      forget(what);
      return true;
    },
  };
}
