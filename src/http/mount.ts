import type { IncomingMessage, ServerResponse } from "node:http";
import type { H3, H3Event } from "h3";
import type { Actor } from "../auth/actor.ts";
import { changesSoFar, type Stamp, stampOf } from "../db/revision.ts";
import { type Reading, watchReads } from "../db/watch.ts";
import { EventStream } from "./event-stream.ts";
import { answerEventStream } from "./open-stream.ts";
import type { Operation } from "./operation.ts";
import { isKept, type Made, perform, type Site } from "./perform.ts";
import { encodeParts, encodingOf, type Parts, type StreamParts, toResponse, toStreamed } from "./response.ts";
import { route } from "./route.ts";
import { sendParts } from "./send.ts";

/** Routes every operation. */
export function mount(app: H3, site: Site) {
  const groups = Map.groupBy(site.operations, (operation) => operation.path);
  for (const [path, own] of groups) {
    const wider = [...groups].filter(([other]) => covers(other, path)).flatMap(([, group]) => group);
    const handlers = [...wider, ...own].map((operation) => [operation.method, handlerOf(site, operation)]);
    route(app, path, Object.fromEntries(handlers));
  }
}

/** Whether a path stands for another one too, such as `/events/:name` for `/events/search`. */
function covers(wide: string, narrow: string) {
  const [wideParts, parts] = [wide.split("/"), narrow.split("/")];
  const isSame = (part: string, index: number) => part === parts[index] || part.startsWith(":");
  return wide !== narrow && wideParts.length === parts.length && wideParts.every(isSame);
}

/** The words of a path that is narrower than the operation's are its parameters too. */
const handlerOf = (site: Site, operation: Operation) => {
  const names = operation.path.split("/");
  return (event: H3Event) => {
    const parts = event.url.pathname.split("/");
    const params = names.flatMap((name, index) =>
      name.startsWith(":") ? [[name.slice(1), parts[index]!]] : [],
    );
    event.context.params = Object.fromEntries(params);
    return answer(site, operation, event);
  };
};

/** Waits only where a body is read, something is changed, or an answer is compressed. */
function answer(site: Site, operation: Operation, event: H3Event) {
  const since = changesSoFar();
  const { result, readings } = watchReads(() => perform(site, operation, event));
  const { made, claim } = result;
  const stamp = () => stampOf(tablesIn(event, readings), since, claim.project);
  const send = (parts: Made): unknown =>
    parts instanceof EventStream
      ? answerEventStream(site, event, parts, claim)
      : respond(site, operation, event, parts, isKept(operation) ? stamp() : undefined);
  return made instanceof Promise ? made.then(send) : send(made);
}

/** What the answer was made of, and by what this caller may have it. */
const tablesIn = ({ context }: H3Event, readings: Iterable<Reading>) =>
  new Set([...context.readings, ...readings].flatMap(({ tables }) => tables));

/**
 * An answer as the response, compressed for this client; a whole one to a read is kept, unless its client has gone, for
 * which a search ends early.
 */
function respond(
  { cache }: Site,
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
      cache?.keep(request, sent, { stamp, until: untilOf(operation, event.context.actor) });
    return sendParts(sent, request, response, operation);
  };
  const encoding = encodingOf(parts, event.req.headers.get("accept-encoding"));
  return encoding ? encodeParts(parts, encoding).then(send) : send(parts);
}

/** How long an answer that tells of use is kept, in milliseconds. */
const USE_MS = 5_000;

/** When an answer ends by itself, RFC 3339; null for never. */
function untilOf({ tellsOfUse }: Operation, { expiresAt }: Actor) {
  if (!tellsOfUse) return expiresAt;
  const soon = new Date(Date.now() + USE_MS).toISOString();
  return expiresAt !== null && expiresAt < soon ? expiresAt : soon;
}
