import type { IncomingMessage } from "node:http";
import { secretIn } from "../access/token.ts";
import type { Listener } from "../http/listener.ts";
import { isBelow, pathOf, pathWithin } from "../http/path.ts";
import { ApiError } from "../lib/api-error.ts";

/** What an edge knows of itself and of a caller. */
interface Knowledge {
  basePath: string;
  /** Resolves to whether it is known what a secret opens, if anything. */
  learn(secret: string): boolean | Promise<boolean>;
  /** How old the answers for a secret are, in milliseconds; undefined if there are none yet, and 0 for an unknown one. */
  ageOf(secret: string): number | undefined;
  /** Why not all that it is for can be answered as it should be; undefined if it can. */
  unready(): string | undefined;
}

/** Lets applications in, with what they need known, and tells them how old it is. */
export const admitting =
  (edge: Knowledge) =>
  (listener: Listener): Listener =>
  (request, response) => {
    const path = ownPath(edge.basePath, request);
    if (CLOSED.some((prefix) => isBelow(prefix, path))) throw closed();
    if (path === "/ready") requireReady(edge);
    const secret = secretOf(request);
    if (!secret || !OPEN.some((prefix) => isBelow(prefix, path))) return listener(request, response);
    const answer = (isKnown: boolean) => {
      if (!isKnown) throw unknowable();
      const age = edge.ageOf(secret);
      if (age === undefined) throw later(NO_FLAGS);
      response.setHeader("age", Math.floor(age / 1000));
      return listener(request, response);
    };
    const known = edge.learn(secret);
    return known instanceof Promise ? known.then(answer) : answer(known);
  };

/** What Unleash Edge and the Unleash Proxy call our paths. */
const OTHER_PATHS = [
  ["/internal-backstage/health", "/health"],
  ["/internal-backstage/ready", "/ready"],
  ["/internal-backstage/metrics", "/internal-backstage/prometheus"],
  ["/api/proxy", "/api/frontend"],
  ["/proxy/health", "/health"],
  ["/proxy", "/api/frontend"],
] as const;

/** The path within the base path, by our name, which the request then has too; empty for anything outside. */
function ownPath(basePath: string, request: IncomingMessage): string {
  const asked = pathOf(request);
  const path = pathWithin(basePath, asked) ?? "";
  const [other, own] = OTHER_PATHS.find(([name]) => path === name || path.startsWith(`${name}/`)) ?? [];
  if (other === undefined) return path;
  const renamed = own + path.slice(other.length);
  request.url = basePath + renamed + request.url!.slice(asked.length);
  return renamed;
}

const OPEN = ["/api", "/ofrep", "/edge/metrics"];

/** Where people and machines manage things. */
const CLOSED = ["/api/admin", "/auth", "/invite"];

const closed = () =>
  new ApiError("NotFoundError", "An edge answers applications only: ask the server behind it");

const secretOf = ({ headers }: IncomingMessage) =>
  secretIn(headers.authorization || String(headers["x-api-key"] ?? ""));

/** An empty list would turn everything off. */
const NO_FLAGS =
  "This edge does not have all flags that the token opens yet: it needs a backend token that opens them too";

export const unknowable = () => later("The server behind this edge can't be asked about the token");

/** SDKs take a 401 for final, and come back after a 503. */
const later = (message: string) =>
  new ApiError("ServiceUnavailableError", message, { headers: { "retry-after": "5" }, isLogged: false });

function requireReady({ unready }: Knowledge) {
  const reason = unready();
  if (reason !== undefined) throw later(reason);
}
