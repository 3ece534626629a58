import { type H3Event, HTTPResponse } from "h3";
import * as v from "valibot";
import { authenticate } from "../access/authenticate.ts";
import { readBytes, readJson } from "../http/body.ts";
import { requireSameOrigin } from "../http/origin.ts";
import { toResponse, wholeParts } from "../http/response.ts";
import { ApiError, requireValid } from "../lib/api-error.ts";
import { MASK } from "../lib/text.ts";
import { credentialsIn } from "../sign-in/links-and-sign-out.ts";
import type { ServerOptions } from "./options.ts";

/*
 * A receiver inside the server, for trying an integration with nothing else installed. Whatever is posted to
 * /inbox/NAME is kept in memory and listed there; it can be told to fail.
 */

interface Received {
  name: string;
  receivedAt: string;
  headers: Record<string, string>;
  body: string;
  /** The status of the response. */
  status: number;
}

/** How many messages are kept, and how many characters in total; the oldest are dropped first. */
const MAX_MESSAGES = 500;
const MAX_CHARACTERS = 8 * 1024 * 1024;

const Behaviour = v.object({
  status: v.pipe(
    v.number(),
    v.integer(),
    v.minValue(200, "must be 200 or more"),
    v.maxValue(599, "must be 599 or less"),
  ),
});

/** The handlers of `/inbox/:name`: anybody may post; administrators read, and set the response. */
export function inboxHandlers(options: ServerOptions) {
  const messages: Received[] = [];
  const statuses = new Map<string, number>();
  const statusOf = (name: string) => statuses.get(name) ?? 200;
  return {
    async POST(event: H3Event) {
      const name = nameIn(event);
      const body = (await readBytes(event)).toString("utf8");
      const status = statusOf(name);
      const receivedAt = new Date().toISOString();
      store(messages, { name, receivedAt, headers: headersOf(event), body, status });
      return new HTTPResponse("", { status, headers: { "content-length": "0" } });
    },
    GET(event: H3Event) {
      requireAdmin(options, event);
      const name = nameIn(event);
      const received = messages.filter((one) => one.name === name).map(({ name: _, ...rest }) => rest);
      const body = JSON.stringify({ name, status: statusOf(name), received: received.toReversed() });
      return toResponse(wholeParts(body), event.req);
    },
    async PUT(event: H3Event) {
      requireAdmin(options, event);
      const name = nameIn(event);
      const { status } = requireValid(Behaviour, (await readJson(event, Behaviour)).value, "body");
      if (status === 200) statuses.delete(name);
      else statuses.set(name, status);
      return new HTTPResponse("", { status: 200, headers: { "content-length": "0" } });
    },
  };
}

function nameIn({ context, url }: H3Event) {
  const name = context.params?.name ?? "";
  if (/^[\w-]{1,64}$/.test(name)) return name;
  throw new ApiError("NotFoundError", `There is nothing at ${url.pathname}`);
}

function requireAdmin(options: ServerOptions, event: H3Event) {
  const actor = authenticate(options.db, credentialsIn(event, options.authProxy));
  if (actor.session !== null) requireSameOrigin(event.req, options);
  if (!actor.isAdmin) throw new ApiError("NoAccessError", "The inbox needs the permission ADMIN");
}

const headersOf = ({ req }: H3Event) =>
  Object.fromEntries([...req.headers].map(([name, value]) => [name, IS_SECRET.test(name) ? MASK : value]));

const IS_SECRET = /authorization|cookie|key|secret|token/i;

function store(messages: Received[], received: Received) {
  messages.push(received);
  let characters = messages.reduce((sum, { body }) => sum + body.length, 0);
  while (messages.length > MAX_MESSAGES || characters > MAX_CHARACTERS)
    characters -= messages.shift()!.body.length;
}
