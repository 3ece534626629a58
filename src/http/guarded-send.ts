import http from "node:http";
import https from "node:https";
import { createGuard } from "./target-guard.ts";

/** How requests leave this server. */
export interface Sending {
  /** Private hosts that are allowed; see target-guard.ts. */
  allowed: readonly string[];
  /** The source of HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  env: Readonly<Record<string, string | undefined>>;
  /** Additional trusted certificate authorities, in PEM. */
  ca: readonly string[] | undefined;
  /** The timeout for the whole request, in milliseconds. */
  timeoutMs: number;
}

interface Message {
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
}

export interface Received {
  response: http.IncomingMessage;
  /** The beginning of the body. */
  text: string;
}

/** How many bytes of a response body are read by default; the rest is dropped. */
const MAX_BODY_BYTES = 64 * 1024;

/** How long to wait for the body after the status, in milliseconds. */
const BODY_MS = 2000;

/**
 * Sends requests over HTTP or HTTPS, only to targets that the operator has allowed; doesn't follow redirects. Timers and
 * one set cost a fraction of what a signal for each request would.
 */
export function createSend({ allowed, env, ca, timeoutMs }: Sending) {
  const guard = createGuard({ allowed, proxies: proxiesIn(env) });
  const agents = createAgents(env, ca);
  const inFlight = new Set<http.ClientRequest>();
  const watch = (request: http.ClientRequest) => {
    const timer = setTimeout(() => request.destroy(timedOut(timeoutMs)), timeoutMs);
    inFlight.add(request);
    request.once("close", () => {
      clearTimeout(timer);
      inFlight.delete(request);
    });
  };
  /** @throws TargetError, or an error of the connection */
  async function send(target: URL, message: Message, maxBytes = MAX_BODY_BYTES): Promise<Received> {
    guard.requireTarget(target);
    const { method, headers, body } = message;
    const isSecure = target.protocol === "https:";
    const options = {
      method,
      agent: agents[isSecure ? "https:" : "http:"],
      lookup: guard.lookupFor(target),
      headers: { "user-agent": "Flagstone", ...headers, "content-length": Buffer.byteLength(body) },
    };
    return new Promise((resolve, reject) => {
      const request = (isSecure ? https : http).request(target, options);
      watch(request);
      request.on("error", (error: NodeJS.ErrnoException) => {
        if (isStaleConnection(request, error)) resolve(send(target, message, maxBytes));
        else reject(error);
      });
      request.on("response", (response) => {
        readBeginning(response, maxBytes).then((text) => resolve({ response, text }));
      });
      request.end(body);
    });
  }
  return {
    send,
    abort(reason: Error) {
      for (const request of inFlight) request.destroy(reason);
    },
    /** Closes idle connections. */
    disconnect() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** The hosts of the proxies, which the operator has chosen to connect to. */
const proxiesIn = (env: Sending["env"]): string[] =>
  ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].flatMap(
    (name) => URL.parse(env[name] ?? "")?.hostname || [],
  );

type Agents = Readonly<Record<"http:" | "https:", http.Agent>>;

/** Agents that keep connections open for the next delivery to the same receiver. */
function createAgents(env: Sending["env"], ca: Sending["ca"]): Agents {
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

/** The receiver closed an idle connection just as it was reused. */
const isStaleConnection = ({ reusedSocket }: http.ClientRequest, { code }: NodeJS.ErrnoException) =>
  reusedSocket && (code === "ECONNRESET" || code === "EPIPE");

/** The body may be cut off or never end; `response.complete` tells. */
function readBeginning(response: http.IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => response.destroy(), BODY_MS);
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= maxBytes) response.destroy();
  });
  for (const name of ["end", "error", "close"]) response.once(name, () => resolve());
  return promise.then(() => {
    clearTimeout(timer);
    return Buffer.concat(chunks).toString("utf8", 0, maxBytes);
  });
}

const timedOut = (ms: number) =>
  Object.assign(new Error(`No response within ${ms / 1000} seconds`), { code: "ETIMEDOUT" });
