import type { IncomingMessage, ServerResponse } from "node:http";
import type { H3Event } from "h3";
import { type Claim, requirePermission, requireSeen, toClaim } from "../access/require-permission.ts";
import type { Database } from "../db/statement.ts";
import type { writeSoon } from "../events/write.ts";
import { type Body, readJson } from "./body.ts";
import { prefersCsv, toCsv } from "./csv.ts";
import { EventStream } from "./event-stream.ts";
import type { FewAtOnce } from "./few-at-once.ts";
import { requireMatch } from "./if-match.ts";
import { checkedBody, checkedParams, checkedQuery, decodedParams, toRequest } from "./incoming.ts";
import { Csv, type Door, type Operation } from "./operation.ts";
import { type Parts, type StreamParts, toParts } from "./response.ts";
import type { ResponseCache } from "./response-cache.ts";
import type { Streams } from "./streams.ts";

/** What operations run against. */
export interface Site {
  db: Database;
  /** Prefixes the paths in responses. */
  root: string;
  /** All of them, since `If-Match` on one compares with what another returns. */
  operations: readonly Operation[];
  /** Runs changes. */
  write: typeof writeSoon;
  /** @throws ApiError while changes are refused. */
  requireWritable(db: Database): void;
  /** Caches responses to reads. */
  cache?: ResponseCache | undefined;
  /** The open streams. */
  streams: Streams;
  /** Delays heavy requests. */
  fewAtOnce: FewAtOnce;
}

/** Whether its responses may be cached. */
export const isCached = ({ changes, isUncached, rows }: Operation) => !changes && !isUncached && !rows;

/** Checks permission, path, query and body in this order: the first failure is the response. */
export function perform(site: Site, operation: Operation, event: H3Event) {
  const { actor } = event.context;
  const raw = decodedParams(event);
  const claim = toClaim(site.db, actor, operation.permission, raw);
  requirePermission(site.db, actor, claim);
  if (operation.changes && !operation.duringMaintenance) site.requireWritable(site.db);
  const params = checkedParams(operation, raw);
  const query = checkedQuery(operation, event.url);
  const door = doorFor(site, operation, event, claim);
  const run = (body?: unknown) => {
    requireSeen(claim);
    const request = toRequest(site.db, event, { params, query, body });
    const here = () => toOutcome(site, operation, event, operation.handle(request, door));
    return operation.isHeavy ? whenFew(site, event).then(here) : here();
  };
  const outcome = operation.body
    ? bodyOf(event, operation).then(
        ({ text, value }) => cached(site, operation, event, text) ?? run(checkedBody(operation, value)),
      )
    : run();
  return { outcome, claim };
}

/** Without a socket, nothing stays open for long. */
function whenFew({ fewAtOnce }: Site, { context: { actor }, runtime }: H3Event): Promise<void> {
  const response = runtime?.node?.res as ServerResponse | undefined;
  const caller = actor.userId === null ? `token ${actor.tokenId}` : `user ${actor.userId}`;
  return response ? fewAtOnce(caller, response) : Promise.resolve();
}

/** What a handler's result is turned into. */
export type Outcome = Parts | StreamParts | EventStream;

function toOutcome(
  site: Site,
  operation: Operation,
  event: H3Event,
  result: unknown,
): Outcome | Promise<Outcome> {
  if (result instanceof Promise) return result.then((value) => toOutcome(site, operation, event, value));
  if (result instanceof EventStream) return result;
  const { rows } = operation;
  const parts =
    rows && prefersCsv(event.req.headers)
      ? toParts(toCsv(rows(result as never)), { response: Csv })
      : toParts(result, { ...operation, root: site.root });
  return withHeaders(parts, rows ? { vary: "accept, accept-encoding" } : event.context.cors);
}

/** Checks the permission again, as it may have been revoked while a slow body was arriving. */
const doorFor = (site: Site, operation: Operation, event: H3Event, claim: Claim): Door => {
  const { db, write } = site;
  const { actor } = event.context;
  return (change) =>
    write(db, actor, (tx) => {
      requirePermission(db, actor, claim);
      requireMatch(site, operation, event);
      return change(tx);
    });
};

const withHeaders = (parts: ReturnType<typeof toParts>, headers: Record<string, string> | undefined) =>
  headers ? { ...parts, headers: { ...parts.headers, ...headers } } : parts;

const NOTHING: Body = { text: "", value: {} };

const bodyOf = (event: H3Event, { body, isBodyOptional }: Operation): Promise<Body> =>
  isBodyOptional && !hasBody(event.req) ? Promise.resolve(NOTHING) : readJson(event, body!);

const hasBody = ({ headers }: Request) =>
  headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > 0;

/** The cached response to the same body, for an operation that only reads. */
function cached({ cache }: Site, operation: Operation, event: H3Event, text: string) {
  const request = event.runtime?.node?.req as IncomingMessage | undefined;
  return request && isCached(operation) ? cache?.get(request, text) : undefined;
}
