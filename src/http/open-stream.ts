import type { IncomingMessage, ServerResponse } from "node:http";
import { type H3Event, HTTPResponse } from "h3";
import { type Claim, requirePermission } from "../access/require-permission.ts";
import { snapshot } from "../db/snapshot.ts";
import type { Poll } from "./channel.ts";
import { EVENT_STREAM_HEADERS, type EventStream, toEventStreamText } from "./event-stream.ts";
import type { Site } from "./perform.ts";

/** Streams on the request's socket; without one, and for a HEAD, responds with the first batch alone. */
export function openEventStream(site: Site, event: H3Event, stream: EventStream, claim: Claim): unknown {
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
      return { ...rest, bytes: Buffer.from(toEventStreamText(messages, root)), until: actor.expiresAt };
    });
