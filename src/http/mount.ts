import type { IncomingMessage, ServerResponse } from "node:http";
import { type EventHandler, type H3, type H3Event, HTTPResponse } from "h3";
import type { Actor } from "../access/actor.ts";
import { type Claim, requirePermission, requireSeen, toClaim } from "../access/require-permission.ts";
import { type Database, snapshot } from "../db/database.ts";
import { changesSoFar, type Stamp, stampOf } from "../db/revision.ts";
import type { Point } from "../db/state-at.ts";
import { type Reading, watchReads } from "../db/statement.ts";
import { ApiError } from "../lib/api-error.ts";
import { type Body, readJson } from "./body.ts";
import { checkedBody, checkedParams, checkedQuery, decodedParams, toRequest } from "./checked-input.ts";
import { prefersCsv, toCsv } from "./csv.ts";
import { ownBytes } from "./encoding.ts";
import { requireMatch } from "./if-match.ts";
import {
  type Commit,
  type Contract,
  Csv,
  EVENT_HEADER,
  EventStream,
  METHODS,
  type Operation,
} from "./operation.ts";
import { preflightResponse } from "./origin.ts";
import { AT_HEADER, fromState, isOfToday } from "./past.ts";
import {
  encodeParts,
  encodingOf,
  type Parts,
  type StreamParts,
  sendParts,
  toParts,
  toResponse,
  toStreamed,
} from "./response.ts";
import type { Site } from "./site.ts";
import { EVENT_STREAM_HEADERS, type Poll, toEventStreamText } from "./streams.ts";

/** The operations that each path serves, those of the widest path first. */
type Routes = ReadonlyMap<string, readonly Operation[]>;

/** A path also serves the operations of a wider one: `/events/search` those of `/events/:name`. */
export function toRoutes(operations: readonly Operation[]): Routes {
  const groups = [...Map.groupBy(operations, ({ path }) => path.split("/").length).values()];
  return new Map(groups.flatMap((group) => toRoutesOfLength(group)));
}

function toRoutesOfLength(operations: readonly Operation[]) {
  const paths = [...Map.groupBy(operations, ({ path }) => path)].map(([path, own]) => ({
    path,
    own,
    segments: path.split("/"),
  }));
  return paths.map((one) => {
    const wider = paths.filter((other) => other !== one && covers(other.segments, one.segments));
    return [one.path, [...wider, one].flatMap(({ own }) => own)] as const;
  });
}

const covers = (wide: readonly string[], narrow: readonly string[]) =>
  wide.every((segment, index) => segment === narrow[index] || segment.startsWith(":"));

export function mount(app: H3, site: Site, routes: Routes) {
  for (const [path, operations] of routes) {
    const handlers = operations.map((operation) => [operation.method, handlerOf(site, operation)]);
    route(app, path, Object.fromEntries(handlers));
  }
}

/** The literal segments of a narrower path also serve as the operation's parameters. */
const handlerOf = (site: Site, operation: Operation) => {
  const names = operation.path.split("/");
  return (event: H3Event) => {
    const parts = event.url.pathname.split("/");
    const params = names.flatMap((name, index) =>
      name.startsWith(":") ? [[name.slice(1), parts[index]!]] : [],
    );
    event.context.params = Object.fromEntries(params);
    return handle(site, operation, event);
  };
};

/** Asynchronous only if a body is read, something is changed, or the response is compressed. */
function handle(site: Site, operation: Operation, event: H3Event) {
  const since = changesSoFar();
  const { result, readings } = watchReads(() => perform(site, operation, event));
  const { outcome, claim } = result;
  const stamp = () => stampOf(tablesIn(event, readings), since);
  const isKept = isCached(operation) && event.context.at === undefined;
  const send = (parts: Outcome): unknown =>
    parts instanceof EventStream
      ? openEventStream(site, event, parts, claim)
      : respond(site, operation, event, parts, isKept ? stamp() : undefined);
  if (!(outcome instanceof Promise)) return send(outcome);
  const sent = outcome.then(send);
  if (isKept) expect(site, event, stamp(), sent);
  return sent;
}

/** Lets equal requests wait for a response that takes longer than a turn of the event loop. */
function expect({ cache }: Site, { runtime }: H3Event, stamp: Stamp, sent: Promise<unknown>) {
  const request = runtime?.node?.req as IncomingMessage | undefined;
  if (request) cache?.expect(request, stamp, sent);
}

/** The tables the response was read from, and those that gave this caller access. */
const tablesIn = ({ context }: H3Event, readings: Iterable<Reading>) =>
  new Set([...context.readings, ...readings].flatMap(({ tables }) => tables));

/**
 * Sends a response, compressed if the client accepts it. A whole response to a read is cached, unless the client has
 * disconnected, since a search then ends early.
 */
function respond(
  site: Site,
  operation: Operation,
  event: H3Event,
  parts: Parts | StreamParts,
  stamp: Stamp | undefined,
): unknown {
  if ("stream" in parts) return toStreamed(parts, event.req);
  const node = event.runtime?.node;
  const send = (sent: Parts): unknown => {
    if (!node?.res) return toResponse(sent, event.req, operation);
    const [request, response] = [node.req as IncomingMessage, node.res as ServerResponse];
    if (stamp && sent.status === undefined && !response.destroyed)
      site.cache?.put(request, sent, { stamp, until: untilOf(operation, event.context.actor) });
    return sendParts(sent, request, response, operation);
  };
  const encoding = encodingOf(parts, event.req.headers.get("accept-encoding"));
  if (!encoding) return send(parts);
  const outcome = encodeParts(parts, encoding).then(send);
  if (stamp) expect(site, event, stamp, outcome);
  return outcome;
}

/** How long responses that include usage data are cached, in milliseconds. */
const USAGE_TTL_MS = 5_000;

/** When a cached response expires, RFC 3339; null for never. */
function untilOf({ includesUsage }: Operation, { expiresAt }: Actor) {
  if (!includesUsage) return expiresAt;
  const soon = new Date(Date.now() + USAGE_TTL_MS).toISOString();
  return expiresAt !== null && expiresAt < soon ? expiresAt : soon;
}

/** Routes a path: HEAD goes with GET, OPTIONS lists the methods, and any other is 405. */
export function route(app: H3, path: string, handlers: Partial<Record<Contract["method"], EventHandler>>) {
  const allow = METHODS.filter((method) => handlers[method])
    .flatMap((method) => (method === "GET" ? [method, "HEAD"] : [method]))
    .join(", ");
  app.all(path, (event) => {
    const { method } = event.req;
    const handler = handlers[(method === "HEAD" ? "GET" : method) as Contract["method"]];
    if (handler) return handler(event);
    if (method === "OPTIONS") return answerOptions(event, allow);
    const message = `${method} is not supported here, only ${allow}`;
    throw new ApiError("MethodNotAllowedError", message, { headers: { allow } });
  });
}

const answerOptions = (event: H3Event, allow: string) =>
  event.context.cors
    ? preflightResponse(event)
    : new HTTPResponse("", { statusText: "OK", headers: { allow, "content-length": "0" } });

const isCached = ({ changes, isUncached, rows }: Operation) => !changes && !isUncached && !rows;

/** Checks permission, path, query and body in this order: the first failure is the response. */
function perform(site: Site, operation: Operation, event: H3Event) {
  const { actor } = event.context;
  const raw = decodedParams(event);
  const claim = toClaim(site.db, actor, operation.permission, raw);
  requirePermission(site.db, actor, claim);
  const point = site.past.pointOf(operation, event.url);
  event.context.at = point?.at;
  if (operation.changes && !operation.duringMaintenance) site.requireWritable(site.db);
  const params = checkedParams(operation, raw);
  const query = checkedQuery(operation, event.url);
  const commit = commitFor(site, operation, event, claim);
  const run = (body?: unknown) => {
    requireSeen(claim);
    const answer = (db: Database) => {
      const request = toRequest(db, event, { params, query, body });
      return toOutcome(site, operation, event, operation.handle(request, commit));
    };
    // A body is put together from what its handler has read: in the same snapshot.
    const on = (db: Database) => (operation.changes ? answer(db) : snapshot(db, () => answer(db)));
    const here = () =>
      point && !isOfToday(operation) ? inPast(site, operation, event, point, on) : on(site.db);
    return operation.isHeavy ? whenFew(site, event).then(here) : here();
  };
  const outcome = operation.body
    ? bodyOf(event, operation).then(
        ({ text, value }) => cached(site, operation, event, text) ?? run(checkedBody(operation, value)),
      )
    : run();
  return { outcome, claim };
}

/**
 * Answers by the database as it was; it stays open for as long as the answer is being read.
 * @throws ApiError for what belonged to a project that is hidden from the caller
 */
async function inPast(
  { past }: Site,
  { permission }: Operation,
  event: H3Event,
  point: Point,
  answer: (db: Database) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const state = await past.use(point);
  const release = () => past.release(state);
  try {
    const claim = toClaim(state.db, event.context.actor, permission, decodedParams(event));
    requirePermission(state.db, event.context.actor, claim);
    requireSeen(claim);
    const outcome = await answer(state.db);
    if (outcome instanceof EventStream) return outcome; // its end isn't known
    if ("stream" in outcome) outcome.stream.once("close", release);
    else release();
    return outcome;
  } catch (error) {
    release();
    throw fromState(error, point);
  }
}

/** Without a socket, nothing stays open for long. */
function whenFew({ fewAtOnce }: Site, { context: { actor }, runtime }: H3Event): Promise<void> {
  const response = runtime?.node?.res as ServerResponse | undefined;
  const caller = actor.userId === null ? `token ${actor.tokenId}` : `user ${actor.userId}`;
  return response ? fewAtOnce(caller, response) : Promise.resolve();
}

type Outcome = Parts | StreamParts | EventStream;

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
  const { at, cors, recorded } = event.context;
  return withHeaders(parts, {
    ...(rows ? { vary: "accept, accept-encoding" } : cors),
    ...(at !== undefined && { [AT_HEADER]: at }),
    ...(recorded !== undefined && { [EVENT_HEADER]: String(recorded) }),
  });
}

/** Checks the permission again, as it may have been revoked while a slow body was arriving. */
const commitFor = (site: Site, operation: Operation, event: H3Event, claim: Claim): Commit => {
  const { db, write } = site;
  const { actor } = event.context;
  return (change) =>
    write(db, actor, (tx) => {
      requirePermission(db, actor, claim);
      requireMatch(site, operation, event);
      const result = change(tx);
      event.context.recorded = tx.recorded[0];
      return result;
    });
};

const withHeaders = (parts: ReturnType<typeof toParts>, headers: Record<string, string>) => ({
  ...parts,
  headers: { ...parts.headers, ...headers },
});

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

/** Streams on the request's socket; without one, and for a HEAD, responds with the first batch alone. */
function openEventStream(site: Site, event: H3Event, stream: EventStream, claim: Claim): unknown {
  const { authenticate, cors } = event.context;
  const headers = { ...EVENT_STREAM_HEADERS, ...cors };
  const poll = pollFor(site, stream, claim, authenticate);
  const node = event.runtime?.node;
  if (!node?.res || event.req.method === "HEAD") {
    const { bytes } = poll(event.req.headers.get("last-event-id") ?? undefined);
    return new HTTPResponse(bytes, { headers });
  }
  site.streams.open(node.req as IncomingMessage, node.res as ServerResponse, { headers, poll });
  return new Promise(() => {}); // there is nothing left for h3 to send
}

/** Keeps no reference to the request, so that it can be freed while the stream continues. */
const pollFor =
  (
    { db, root }: Site,
    { poll }: EventStream,
    claim: Claim,
    authenticate: H3Event["context"]["authenticate"],
  ): Poll =>
  (since) =>
    snapshot(db, () => {
      const actor = authenticate();
      requirePermission(db, actor, claim);
      const { messages, ...rest } = poll(actor, since);
      return { ...rest, bytes: ownBytes(toEventStreamText(messages, root)), until: actor.expiresAt };
    });
