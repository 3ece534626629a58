import type { IncomingMessage, ServerResponse } from "node:http";
import type { H3, H3Event } from "h3";
import { addRoute, createRouter, findAllRoutes } from "rou3";
import type { Actor } from "../access/actor.ts";
import { changesSoFar, type Stamp, stampOf } from "../db/revision.ts";
import { type Reading, watchReads } from "../db/watch.ts";
import { EventStream } from "./event-stream.ts";
import { openEventStream } from "./open-stream.ts";
import type { Operation } from "./operation.ts";
import { isCached, type Outcome, perform, type Site } from "./perform.ts";
import { encodeParts, encodingOf, type Parts, type StreamParts, toResponse, toStreamed } from "./response.ts";
import { route } from "./route.ts";
import { sendParts } from "./send.ts";

/** Routes every operation. A path also serves the operations of a wider one: `/events/search` those of `/events/:name`. */
export function mount(app: H3, site: Site) {
  const paths = createRouter<readonly Operation[]>();
  const groups = Map.groupBy(site.operations, (operation) => operation.path);
  for (const [path, operations] of groups) addRoute(paths, "", path, operations);
  for (const path of groups.keys()) {
    const widestFirst = findAllRoutes(paths, "", path).flatMap(({ data }) => data);
    const handlers = widestFirst.map((operation) => [operation.method, handlerOf(site, operation)]);
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
  const send = (parts: Outcome): unknown =>
    parts instanceof EventStream
      ? openEventStream(site, event, parts, claim)
      : respond(site, operation, event, parts, isCached(operation) ? stamp() : undefined);
  if (!(outcome instanceof Promise)) return send(outcome);
  const sent = outcome.then(send);
  if (isCached(operation)) expect(site, event, stamp(), sent);
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
