import http from "node:http";
import https from "node:https";
import { retryAfterMs } from "../http/client.ts";
import { createGuard, type Guard, TargetError } from "./guard.ts";

/** A receiver's response, or the reason why there is none. */
export interface PostResult {
  /** The HTTP status, or a system error code such as ECONNREFUSED. */
  status: number | string;
  /** More details, for people. */
  reason?: string;
  isSuccess: boolean;
  /** Whether a retry may succeed. */
  isTransient: boolean;
  requestedMs?: number | undefined;
  /** The beginning of the body, if requested. */
  text: string;
}

type Headers = Readonly<Record<string, string>>;

export type Post = (
  url: string,
  message: {
    headers: Headers;
    body: string | Buffer;
  },
  now: number,
) => Promise<PostResult>;

interface Options {
  /** Private hosts that are allowed; see guard.ts. */
  allowed: readonly string[];
  /** The source of HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  env: Readonly<Record<string, string | undefined>>;
  /** Additional trusted certificate authorities, in PEM. */
  ca: readonly string[] | undefined;
  /** The timeout for the whole request, in milliseconds. */
  timeoutMs: number;
  /** Aborts all requests. */
  signal: AbortSignal;
}

/** How many bytes of a response body are read; the rest is dropped. */
const MAX_BODY_BYTES = 64 * 1024;

/** How long to wait for the body after the status, in milliseconds. */
const BODY_MS = 2000;

/** Posts over HTTP or HTTPS; doesn't follow redirects. `disconnect` closes idle connections. */
export function createPost({ allowed, env, ca, timeoutMs, signal }: Options) {
  const guard = createGuard({ allowed, proxies: proxiesIn(env) });
  const agents = createAgents(env, ca);
  const send = createSend(agents, guard, timeoutMs, signal);
  const post: Post = async (url, { headers, body }, now) => {
    try {
      const target = new URL(url);
      guard.requireTarget(target);
      signal.throwIfAborted();
      return toResult(await send(target, headers, body), now);
    } catch (error) {
      return toFailure(error as NodeJS.ErrnoException);
    }
  };
  const disconnect = () => {
    for (const agent of Object.values(agents)) agent.destroy();
  };
  return { post, disconnect };
}

/** The hosts of the proxies, which the operator has chosen to connect to. */
const proxiesIn = (env: Options["env"]): string[] =>
  ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].flatMap(
    (name) => URL.parse(env[name] ?? "")?.hostname || [],
  );

type Agents = Readonly<Record<"http:" | "https:", http.Agent>>;

/** Agents that keep connections open for the next delivery to the same receiver. */
function createAgents(env: Options["env"], ca: Options["ca"]): Agents {
  const proxyEnv = Object.fromEntries(
    ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].map((name) => [name, env[name] ?? env[name.toLowerCase()]]),
  );
  const common = { keepAlive: true, maxFreeSockets: 16, proxyEnv, timeout: 60_000 };
  const agent = (options: object) => options as http.AgentOptions & https.AgentOptions;
  return {
    "http:": new http.Agent(agent(common)),
    "https:": new https.Agent(agent({ ...common, ...(ca && { ca }) })),
  };
}

interface Received {
  response: http.IncomingMessage;
  text: string;
}

/** Timers and one set cost a fraction of what a signal for each request would. */
function createSend(agents: Agents, guard: Guard, timeoutMs: number, signal: AbortSignal) {
  const inFlight = new Set<http.ClientRequest>();
  signal.addEventListener("abort", () => {
    for (const request of inFlight) request.destroy(signal.reason);
  });
  const watch = (request: http.ClientRequest) => {
    const timer = setTimeout(() => request.destroy(timedOut(timeoutMs)), timeoutMs);
    inFlight.add(request);
    request.once("close", () => {
      clearTimeout(timer);
      inFlight.delete(request);
    });
  };
  return function send(target: URL, headers: Headers, body: string | Buffer): Promise<Received> {
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
        if (isStaleConnection(request, error)) resolve(send(target, headers, body));
        else reject(error);
      });
      request.on("response", (response) => {
        readBeginning(response).then((text) => resolve({ response, text }));
      });
      request.end(body);
    });
  };
}

/** The receiver closed an idle connection just as it was reused. */
const isStaleConnection = ({ reusedSocket }: http.ClientRequest, { code }: NodeJS.ErrnoException) =>
  reusedSocket && (code === "ECONNRESET" || code === "EPIPE");

/** Only the status matters: the body may be cut off or never end. */
function readBeginning(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => response.destroy(), BODY_MS);
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= MAX_BODY_BYTES) response.destroy();
  });
  for (const name of ["end", "error", "close"]) response.once(name, () => resolve());
  return promise.then(() => {
    clearTimeout(timer);
    return Buffer.concat(chunks).toString("utf8", 0, MAX_BODY_BYTES);
  });
}

const timedOut = (ms: number) =>
  Object.assign(new Error(`No response within ${ms / 1000} seconds`), { code: "ETIMEDOUT" });

function toResult({ response, text }: Received, now: number): PostResult {
  const status = response.statusCode!;
  const isTransient = status === 408 || status === 425 || status === 429 || status >= 500;
  const requestedMs = isTransient ? retryAfterMs(response.headers["retry-after"], now) : undefined;
  return { status, isSuccess: status >= 200 && status < 300, isTransient, requestedMs, text };
}

/** Problems with the certificate, the address or a header are permanent. */
const PERMANENT =
  /^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|ERR_INVALID_|ERR_UNESCAPED|ERR_HTTP_INVALID)/;

function toFailure(error: NodeJS.ErrnoException): PostResult {
  const status = error.code ?? error.name;
  const isTransient = !(error instanceof TargetError) && !PERMANENT.test(status);
  return { status, reason: error.message, isSuccess: false, isTransient, text: "" };
}
