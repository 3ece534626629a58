import type { IncomingMessage } from "node:http";
import { buffer, text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { ask, type Connection, explainNetworkError, messageIn, retryAfterMs } from "../http/other-server.ts";
import type { Log } from "../lib/logger.ts";
import { parsedJson } from "../lib/text.ts";

/*
 * Reading from a server that may be slow, overloaded or restarting: what may help is tried again a few times.
 */

/** What a server responded to a GET request. */
export interface Answer {
  /** 200; 304 if it is still what the ETag names; 403 or 404 for what it refuses. */
  status: number;
  etag: string;
  /** JSON, and for a refusal the reason. */
  body: string;
}

/** How often a request is sent, and the first wait before the next time, in milliseconds; it doubles each time. */
const TRIES = 5;
const FIRST_WAIT_MS = 250;

/** The longest that a server's `Retry-After` is waited for, in milliseconds. */
const MAX_RETRY_AFTER_MS = 120_000;

/** The most bytes that an answer may unpack to. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** Something that may be over soon. */
class PassingError extends Error {
  /** How long the server asks to wait, in milliseconds. */
  readonly waitMs: number;

  constructor(message: string, waitMs = 0) {
    super(message);
    this.waitMs = waitMs;
  }
}

/**
 * Reads a path of a server's API.
 * @throws Error that names the server and says what to do, if there is nothing to be had
 */
export async function askPatiently(
  server: Connection,
  path: string,
  { etag, log }: { etag?: string | undefined; log: Log },
): Promise<Answer> {
  const headers = { "accept-encoding": "gzip", ...(etag && { "if-none-match": etag }) };
  return patiently(server, log, async () =>
    readAnswer(server, path, await ask(server, path, { headers }).catch(lost(server))),
  );
}

/**
 * Sends a change to a server once, since it may be made although no answer comes; again only if there were too many.
 * @returns the answer, also of a refusal
 * @throws Error that names the server and says what to do, if it takes no changes
 */
export async function sendPatiently(
  server: Connection,
  path: string,
  { method, body, log }: { method: string; body: string; log: Log },
): Promise<Omit<Answer, "etag">> {
  const headers = { ...(body !== "" && { "content-type": "application/json" }) };
  return patiently(server, log, async () => {
    const response = await ask(server, path, { method, headers }, body).catch(unsure(server));
    const answer = await text(response).catch(unsure(server));
    const { statusCode: status = 0 } = response;
    if (status === 401 || status === 429) throw refusal(server, path, response, answer);
    if (status > 500) throw new Error(`${refusal(server, path, response, answer).message}; ${GO_ON}`);
    return { status, body: answer };
  });
}

const GO_ON = "run the command again to go on";

const unsure = (server: Connection) => (error: NodeJS.ErrnoException) => {
  if (server.options.signal?.aborted) throw error;
  throw new Error(`${server.url} does not respond: ${explainNetworkError(error)}; ${GO_ON}`);
};

/** Tries again what may work soon. */
async function patiently<T>({ options }: Connection, log: Log, attempt: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof PassingError) || tried === TRIES) throw error;
      const wait = Math.max(error.waitMs, FIRST_WAIT_MS * 2 ** (tried - 1));
      log({ level: "warn", message: `${error.message}; trying again in ${wait / 1000} s` });
      await setTimeout(wait, undefined, { signal: options.signal ?? undefined });
    }
  }
}

/** An interrupted command is not a lost connection. */
const lost = (server: Connection) => (error: NodeJS.ErrnoException) => {
  if (server.options.signal?.aborted) throw error;
  throw new PassingError(`${server.url} does not respond: ${explainNetworkError(error)}`);
};

async function readAnswer(server: Connection, path: string, response: IncomingMessage): Promise<Answer> {
  const bytes = await buffer(response).catch(lost(server));
  const { statusCode: status = 0, headers } = response;
  const isPacked = headers["content-encoding"] === "gzip" && bytes.length > 0; // a 304 has no body
  const body = isPacked ? unpacked(server, bytes) : bytes.toString();
  if (![200, 304, 403, 404].includes(status)) throw refusal(server, path, response, body);
  if (status === 200 && parsedJson(body) === undefined)
    throw new Error(
      `${server.url} did not respond with JSON to ${path}: is it the address of an Unleash or a Flagstone, without /api?`,
    );
  return { status, etag: headers.etag ?? "", body };
}

function unpacked({ url }: Connection, bytes: Buffer) {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_ANSWER_BYTES }).toString();
  } catch (error) {
    throw new PassingError(`${url} sent an answer that can't be unpacked: ${(error as Error).message}`);
  }
}

function refusal({ url }: Connection, path: string, { statusCode, headers }: IncomingMessage, body: string) {
  const said = messageIn(body);
  const reason = `${url} responded with ${statusCode} to ${path}${said === undefined ? "" : `: ${said}`}`;
  if (statusCode === 401)
    return new Error(
      `${reason}; it does not know the token: use an administrator's API token or personal token`,
    );
  if (headers.location !== undefined) return new Error(`${reason}; it may have moved to ${headers.location}`);
  if (statusCode === 429 || statusCode === 408 || statusCode! >= 500)
    return new PassingError(reason, Math.min(retryAfterMs(headers["retry-after"]) ?? 0, MAX_RETRY_AFTER_MS));
  return new Error(reason);
}
