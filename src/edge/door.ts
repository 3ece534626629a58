import type { IncomingMessage } from "node:http";
import { secretIn } from "../access/token.ts";
import type { Listener } from "../http/listener.ts";
import { isBelow, pathOf, pathWithin } from "../http/path.ts";
import { ApiError } from "../lib/api-error.ts";

/** What an edge knows of itself and of a caller. */
interface Door {
  basePath: string;
  /** Resolves to whether it is known what a secret opens, if anything. */
  learn(secret: string): boolean | Promise<boolean>;
  /** How old the answers for a secret are, in milliseconds; undefined if there are none yet, and 0 for an unknown one. */
  ageOf(secret: string): number | undefined;
  /** Why not all that it is for can be answered as it should be; undefined if it can. */
  unready(): string | undefined;
}

/** Lets applications in, with what they need known, and tells them how old it is. */
export const doorTo =
  (door: Door) =>
  (listener: Listener): Listener =>
  (request, response) => {
    const path = pathWithin(door.basePath, pathOf(request)) ?? "";
    if (CLOSED.some((prefix) => isBelow(prefix, path))) throw closed();
    if (path === "/ready") requireReady(door);
    const secret = secretOf(request);
    if (!secret || !OPEN.some((prefix) => isBelow(prefix, path))) return listener(request, response);
    const answer = (isKnown: boolean) => {
      if (!isKnown) throw later("The server behind this edge can't be asked about the token");
      const age = door.ageOf(secret);
      if (age === undefined) throw later(NO_FLAGS);
      response.setHeader("age", Math.floor(Math.max(0, age) / 1000));
      return listener(request, response);
    };
    const known = door.learn(secret);
    return known instanceof Promise ? known.then(answer) : answer(known);
  };

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

/** SDKs take a 401 for final, and come back after a 503. */
const later = (message: string) =>
  new ApiError("ServiceUnavailableError", message, { headers: { "retry-after": "5" }, isLogged: false });

function requireReady({ unready }: Door) {
  const reason = unready();
  if (reason !== undefined) throw later(reason);
}
