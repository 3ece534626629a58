import http from "node:http";
import https from "node:https";
import { type Guard, TargetError } from "./guard.ts";
import { retryAfterMs } from "./retry-after.ts";

/** A receiver's answer, or the reason why there is none. */
export interface Answer {
  /** The HTTP status, or a system error code such as ECONNREFUSED. */
  status: number | string;
  /** More details, for people. */
  why?: string;
  isSuccess: boolean;
  /** Whether a retry may succeed. */
  mayPass: boolean;
  askedMs?: number | undefined;
  /** The beginning of the body, if requested. */
  text: string;
}

export type Post = (
  url: string,
  message: { headers: Readonly<Record<string, string>>; body: string | Buffer },
  now: number,
) => Promise<Answer>;

interface Options {
  guard: Guard;
  /** The timeout for the whole request, in milliseconds. */
  timeoutMs: number;
  /** Aborts the request. */
  signal: AbortSignal;
  agents: Agents;
}

export type Agents = Record<"http:" | "https:", http.Agent>;

/** How much of an answer is read; the rest is dropped. */
const LONGEST_ANSWER = 64 * 1024;

/** How long to wait for the body after the status, in milliseconds. */
const BODY_MS = 2000;

/** Posts over HTTP or HTTPS; doesn't follow redirects. */
export function createPost(options: Options): Post {
  const { guard, signal } = options;
  const send = createSend(options);
  return async (url, message, now) => {
    try {
      const target = new URL(url);
      guard.requireTarget(target);
      signal.throwIfAborted();
      return toAnswer(await send(target, message), now);
    } catch (error) {
      return toFailure(error as NodeJS.ErrnoException);
    }
  };
}

interface Received {
  response: http.IncomingMessage;
  text: string;
}

/** Timers and one set cost a fraction of what a signal for each request would. */
function createSend({ agents, guard, timeoutMs, signal }: Options) {
  const underWay = new Set<http.ClientRequest>();
  signal.addEventListener("abort", () => {
    for (const request of underWay) request.destroy(signal.reason);
  });
  const watch = (request: http.ClientRequest) => {
    const late = setTimeout(() => request.destroy(timedOut(timeoutMs)), timeoutMs);
    underWay.add(request);
    request.once("close", () => {
      clearTimeout(late);
      underWay.delete(request);
    });
  };
  return function send(target: URL, { headers, body }: Parameters<Post>[1]): Promise<Received> {
    const isSecure = target.protocol === "https:";
    const options = {
      method: "POST",
      agent: agents[isSecure ? "https:" : "http:"],
      lookup: guard.lookupFor(target),
      headers: { "user-agent": "Flagstone", ...headers, "content-length": Buffer.byteLength(body) },
    };
    return new Promise((resolve, reject) => {
      const request = (isSecure ? https : http).request(target, options);
      watch(request);
      request.on("error", (error: NodeJS.ErrnoException) => {
        if (isOfOldConnection(request, error)) resolve(send(target, { headers, body }));
        else reject(error);
      });
      request.on("response", (response) => {
        beginningOf(response).then((text) => resolve({ response, text }));
      });
      request.end(body);
    });
  };
}

/** The receiver closed an idle connection just as it was re-used. */
const isOfOldConnection = ({ reusedSocket }: http.ClientRequest, { code }: NodeJS.ErrnoException) =>
  reusedSocket && (code === "ECONNRESET" || code === "EPIPE");

/** Only the status matters: the body may break off or never end. */
function beginningOf(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const late = setTimeout(() => response.destroy(), BODY_MS);
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= LONGEST_ANSWER) response.destroy();
  });
  for (const name of ["end", "error", "close"]) response.once(name, () => resolve());
  return promise.then(() => {
    clearTimeout(late);
    return Buffer.concat(chunks).toString("utf8", 0, LONGEST_ANSWER);
  });
}

const timedOut = (ms: number) =>
  Object.assign(new Error(`No answer within ${ms / 1000} seconds`), { code: "ETIMEDOUT" });

function toAnswer({ response, text }: Received, now: number): Answer {
  const status = response.statusCode!;
  const mayPass = status === 408 || status === 425 || status === 429 || status >= 500;
  const askedMs = mayPass ? retryAfterMs(response.headers["retry-after"], now) : undefined;
  return { status, isSuccess: status >= 200 && status < 300, mayPass, askedMs, text };
}

/** Problems with the certificate, the address or a header don't go away. */
const LASTING =
  /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|ERR_INVALID_|ERR_UNESCAPED|ERR_HTTP_INVALID)/;

function toFailure(error: NodeJS.ErrnoException): Answer {
  const status = error.code ?? error.name;
  const mayPass = !(error instanceof TargetError) && !LASTING.test(status);
  return { status, why: error.message, isSuccess: false, mayPass, text: "" };
}
