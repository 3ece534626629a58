import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { close, openToRead } from "../db/open.ts";
import { EVENT_TYPES } from "../events/schema.ts";
import { printable } from "../lib/text.ts";
import { UsageError } from "../lib/usage-error.ts";
import { type Criteria, matchingIds, toCriteria } from "../log/criteria.ts";
import { wireWindows } from "../log/store.ts";
import { eventsAfter, newestEvent } from "../log/stream.ts";
import { type Command, type Context, JSON_OPTION, onStop } from "./command.ts";
import { counted } from "./output.ts";
import {
  type Connection,
  connectionTo,
  explainNetworkError,
  refusalOf,
  requireUrl,
  SERVER_OPTIONS,
  send,
  textOf,
} from "./server-url.ts";

export const tail: Command = {
  name: "tail",
  summary: "Show the newest events and follow new ones, from the data file or a server",
  usage: "[URL]",
  arity: [0, 1],
  example: "tail --project default",
  settings: ["data", "log-format", "log-level", "quiet"],
  options: {
    last: {
      type: "string",
      short: "n",
      hint: "NUMBER",
      help: "start with this many of the newest events (10)",
    },
    event: {
      type: "string",
      multiple: true,
      hint: "TYPE",
      help: "only events of this type; may be repeated",
    },
    project: {
      type: "string",
      multiple: true,
      hint: "ID",
      help: "only events of this project; may be repeated",
    },
    feature: {
      type: "string",
      multiple: true,
      hint: "NAME",
      help: "only events of this flag; may be repeated",
    },
    ...SERVER_OPTIONS,
    json: { ...JSON_OPTION.json, help: "print each event as JSON" },
  },
  async run(context) {
    const { args, options, world } = context;
    const stopped = new AbortController();
    onStop(world, () => stopped.abort());
    for (const name of ["error", "close"]) world.stdout.once(name, () => stopped.abort());
    const isColored = world.stdout.isTTY === true && !world.env.NO_COLOR;
    const toLine = options.json
      ? (wire: string) => wire
      : (wire: string) => eventLine(JSON.parse(wire), isColored);
    const filter = toFilter(options);
    const events =
      args[0] === undefined
        ? eventsInFile(context, filter, stopped.signal)
        : eventsOnServer(context, args[0], filter, stopped.signal);
    for await (const wire of events)
      if (!world.stdout.write(`${toLine(wire)}\n`)) await once(world.stdout, "drain").catch(() => {});
  },
};

async function* eventsInFile({ config }: Context, filter: Filter, signal: AbortSignal) {
  const db = openToRead(config.data);
  try {
    yield* followFile(db, filter, signal);
  } finally {
    close(db);
  }
}

function eventsOnServer(context: Context, url: string, filter: Filter, signal: AbortSignal) {
  const warn = (message: string) => context.log({ level: "warn", message });
  return followServer({ ...connectionTo(url, context), filter, signal, warn });
}

function toFilter({ last = "10", event, project, feature }: Context["options"]): Filter {
  if (!/^\d{1,3}$/.test(String(last)))
    throw new UsageError(`--last: ${JSON.stringify(last)} must be a number from 0 to 999`);
  const types = event as string[] | undefined;
  const unknown = types?.find((one) => !(EVENT_TYPES as readonly string[]).includes(one));
  if (unknown !== undefined)
    throw new UsageError(`--event: there is no event type ${JSON.stringify(unknown)}`);
  return {
    last: Number(last),
    type: types,
    project: project as string[] | undefined,
    feature: feature as string[] | undefined,
  };
}

interface Following extends Connection {
  filter: Filter;
  signal: AbortSignal;
  /** Called when the connection is lost. */
  warn(message: string): void;
}

/** The wait before reconnecting, in milliseconds; it doubles each time. */
const BACKOFF_MS = { min: 1000, max: 30_000 };

/** An error that retrying won't fix. */
class RefusedError extends Error {}

/** The events of a server as JSON, oldest first, as they are recorded; reconnects when the connection is lost. */
async function* followServer(connection: Following): AsyncGenerator<string> {
  const { url, signal, warn } = connection;
  requireUrl(url, "/");
  let since = yield* newest(connection);
  let wait = BACKOFF_MS.min;
  while (!signal.aborted) {
    let reason = "the server ended the stream";
    try {
      const response = await get(connection, "/api/admin/events/stream", {
        ...(since && { "last-event-id": since }),
      });
      for await (const { id, data } of messagesIn(response)) {
        since = id || since;
        wait = BACKOFF_MS.min;
        if (data !== "") yield data;
      }
    } catch (error) {
      if (error instanceof RefusedError) throw error;
      reason = explainNetworkError(error as Error);
    }
    if (signal.aborted) return;
    warn(`${url}: ${reason}; trying again in ${counted(wait / 1000, "second")}`);
    await setTimeout(wait, undefined, { signal }).catch(() => {});
    wait = Math.min(2 * wait, BACKOFF_MS.max);
  }
}

/** The newest events. @returns the id of the last one; undefined if there are none */
async function* newest(connection: Following): AsyncGenerator<string, string | undefined> {
  const { url, filter, signal } = connection;
  const response = await get(
    connection,
    "/api/admin/search/events",
    {},
    { limit: String(filter.last || 1) },
  ).catch((error: Error) => {
    if (signal.aborted || error instanceof RefusedError) throw error;
    throw new Error(`${url} does not respond: ${explainNetworkError(error)}`);
  });
  const { events } = JSON.parse(await textOf(response)) as { events: Array<{ id: number }> };
  for (const event of events.slice(0, filter.last).reverse()) yield JSON.stringify(event);
  return events[0] && String(events[0].id);
}

/** Temporary problems: the server is starting, stopping or overloaded. */
const isTransient = (status: number) => status >= 500 || status === 408 || status === 429;

/** @throws RefusedError for errors that retrying won't fix */
async function get(
  connection: Following,
  path: string,
  headers: Record<string, string> = {},
  query: Record<string, string> = {},
): Promise<IncomingMessage> {
  const {
    url,
    token,
    trust,
    filter: { type, project, feature },
    signal,
  } = connection;
  const target = requireUrl(url, path);
  for (const [name, values] of Object.entries({ type, project, feature }))
    if (values) target.searchParams.set(name, `IS_ANY_OF:${values.join(",")}`);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
  const response = await send(target, { headers: { authorization: token, ...headers }, signal, ...trust });
  const status = response.statusCode!;
  if (status === 200) return response;
  const message = refusalOf(connection, response, await textOf(response));
  throw new (isTransient(status) ? Error : RefusedError)(message);
}

/** The messages of a stream; those without data only carry a position. */
async function* messagesIn(response: IncomingMessage): AsyncGenerator<{ id: string; data: string }> {
  let rest = "";
  let message = { id: "", data: "" };
  for await (const chunk of response.setEncoding("utf8")) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const [, field, value = ""] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      if (field === "id" || field === "data") message[field] = value;
      if (line !== "") continue;
      yield message;
      message = { id: "", data: "" };
    }
  }
}

/** The events to follow. */
interface Filter {
  /** The number of earlier events to start with. */
  last: number;
  type: readonly string[] | undefined;
  project: readonly string[] | undefined;
  feature: readonly string[] | undefined;
}

/** How often the file is checked for new events, in milliseconds. */
const POLL_MS = 100;

/** The events in a data file as JSON, oldest first, as they are recorded. */
async function* followFile(db: Database, filter: Filter, signal: AbortSignal): AsyncGenerator<string> {
  let position = newestEvent(db);
  const criteria = toCriteria({ ...filter, hidden: [] });
  yield* newestInFile(db, { ...criteria, last: BigInt(position) }, filter.last);
  while (!signal.aborted) {
    const batch = eventsAfter(db, criteria, position);
    for (const { wire } of batch.events) yield wire;
    position = batch.position;
    if (!batch.isMore) await setTimeout(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

function* newestInFile(db: Database, criteria: Criteria, limit: number) {
  const ids = matchingIds(db, criteria, { offset: 0, limit });
  for (const wires of wireWindows(db, ids.reverse())) yield* wires;
}

/** The parts of an event that are shown. */
interface Shown {
  createdAt: string;
  type: string;
  label: string | null;
  summary: string | null;
}

const BOLD = ["\u001b[1m", "\u001b[22m"] as const;
const DIM = ["\u001b[2m", "\u001b[22m"] as const;
const RED = ["\u001b[31m", "\u001b[39m"] as const;
const GREEN = ["\u001b[32m", "\u001b[39m"] as const;
const YELLOW = ["\u001b[33m", "\u001b[39m"] as const;

/** Wide enough for most types. */
const TYPE_WIDTH = 28;

/** Formats an event as one line: the time, the type, and who did what. */
export function eventLine({ createdAt, type, label, summary }: Shown, isColored: boolean): string {
  const paint = (text: string, [on, off]: readonly [string, string]) => (isColored ? on + text + off : text);
  const words = printable(summary ?? label ?? "")
    .replaceAll(/\*\*(.+?)\*\*/g, (_, text: string) => paint(withoutLinks(text), BOLD))
    .trim();
  const time = createdAt.replace(/\.\d+Z$/, "Z");
  return `${paint(time, DIM)}  ${paint(printable(type).padEnd(TYPE_WIDTH), colorOf(type))}  ${words}`.trimEnd();
}

const withoutLinks = (text: string) => text.replaceAll(/\[(.*?)\]\([^)]*\)/g, "$1");

/** Red for removals, green for additions. */
function colorOf(type: string) {
  if (/delete|remove|archive|disable|drop|reject|discard|failure|stale-on/.test(type)) return RED;
  return /creat|add|enabled|revive|import|approve|applied/.test(type) ? GREEN : YELLOW;
}
