import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";
import { styleText } from "node:util";
import { EVENT_TYPES } from "../events/schema.ts";
import {
  ask,
  type Connection,
  explainNetworkError,
  pathOf,
  refusalOf,
  requireUrl,
} from "../http/other-server.ts";
import { printable } from "../lib/text.ts";
import { UsageError } from "../lib/usage-error.ts";
import { toCriteria } from "../log/criteria.ts";
import { searchLog } from "../log/routes.ts";
import { eventsAfter, newestEvent, streamEvents } from "../log/stream.ts";
import { type Context, command, onStop } from "./command.ts";
import { dataFileToRead } from "./data-file.ts";
import { counted } from "./output.ts";
import { type Call, callFile, callServer, connectionTo, SERVER_OPTIONS } from "./server-url.ts";

const OPTIONS = {
  last: { short: "n", hint: "NUMBER", help: "start with this many of the newest events (10)" },
  event: { multiple: true, hint: "TYPE", help: "only events of this type; may be repeated" },
  project: { multiple: true, hint: "ID", help: "only events of this project; may be repeated" },
  feature: { multiple: true, hint: "NAME", help: "only events of this flag; may be repeated" },
  ...SERVER_OPTIONS,
  json: { help: "print each event as JSON" },
} as const;

type TailContext = Context<typeof OPTIONS>;

export const tail = command({
  name: "tail",
  summary: "Show the newest events and follow new ones, from the data file or a server",
  usage: "[URL]",
  example: "tail --project default",
  settings: ["data", "log-format", "log-level", "quiet"],
  options: OPTIONS,
  async run(context) {
    const { args, options, world } = context;
    const stopped = new AbortController();
    onStop(world, () => stopped.abort());
    for (const name of ["error", "close"]) world.stdout.once(name, () => stopped.abort());
    const isColored = world.stdout.isTTY === true && !world.env.NO_COLOR;
    requireKnown(options);
    const events =
      args[0] === undefined
        ? eventsInFile(context, stopped.signal)
        : eventsOnServer(context, args[0], stopped.signal);
    try {
      for await (const wire of events) {
        const line = options.json ? wire : eventLine(JSON.parse(wire), isColored);
        if (!world.stdout.write(`${line}\n`)) await once(world.stdout, "drain").catch(() => {});
      }
    } catch (error) {
      if (!stopped.signal.aborted) throw error; // stopped during the first request
    }
  },
});

function requireKnown({ last = "10", event = [] }: TailContext["options"]) {
  if (!/^\d{1,3}$/.test(last))
    throw new UsageError(`--last: ${JSON.stringify(last)} must be a number from 0 to 999`);
  const unknown = event.find((one) => !(EVENT_TYPES as readonly string[]).includes(one));
  if (unknown !== undefined)
    throw new UsageError(`--event: there is no event type ${JSON.stringify(unknown)}`);
}

/** The newest events that the options ask for, oldest first. @returns the id of the last one; undefined if there is none */
async function* newest(
  call: Call,
  options: TailContext["options"],
): AsyncGenerator<string, number | undefined> {
  const last = Number(options.last ?? 10);
  const query = { ...filterOf(options), limit: String(last || 1) };
  const { events } = await call(searchLog, { query });
  for (const event of events.slice(0, last).reverse()) yield JSON.stringify(event);
  return events[0]?.id;
}

/** The criteria for the events to show, as the API takes them. */
const filterOf = ({ event: type, project, feature }: TailContext["options"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ type, project, feature }).flatMap(([name, values]) =>
      values ? [[name, `IS_ANY_OF:${values.join(",")}`]] : [],
    ),
  );

/** How often the file is checked for new events, in milliseconds. */
const POLL_MS = 100;

/** The events in the data file as JSON, oldest first, as they are recorded. */
async function* eventsInFile({ config, options }: TailContext, signal: AbortSignal): AsyncGenerator<string> {
  using db = dataFileToRead(config);
  let position = (yield* newest(callFile(db), options)) ?? newestEvent(db);
  const { event: type, project, feature } = options;
  const criteria = toCriteria({ type, project, feature, hidden: [] });
  while (!signal.aborted) {
    const batch = eventsAfter(db, criteria, position);
    for (const { wire } of batch.events) yield wire;
    position = batch.position;
    if (!batch.isMore) await setTimeout(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

/** The wait before reconnecting, in milliseconds; it doubles each time. */
const BACKOFF_MS = { min: 1000, max: 30_000 };

/** An error that retrying won't fix. */
class RefusedError extends Error {}

/** The events of a server as JSON, oldest first, as they are recorded; reconnects when the connection is lost. */
async function* eventsOnServer(
  context: TailContext,
  url: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const server = connectionTo(url, context, signal);
  requireUrl(url, "/");
  let since: string | number | undefined = yield* newest(callServer(server), context.options);
  let wait = BACKOFF_MS.min;
  const path = pathOf(streamEvents, { query: filterOf(context.options) });
  while (!signal.aborted) {
    let reason = "the server ended the stream";
    try {
      const headers = { ...(since !== undefined && { "last-event-id": since }) };
      const response = await ask(server, path, { headers });
      if (response.statusCode !== 200) throw await errorOf(server, response);
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
    const message = `${url}: ${reason}; trying again in ${counted(wait / 1000, "second")}`;
    context.log({ level: "warn", message });
    await setTimeout(wait, undefined, { signal }).catch(() => {});
    wait = Math.min(2 * wait, BACKOFF_MS.max);
  }
}

/** Temporary problems: the server is starting, stopping or overloaded. */
const isTransient = (status: number) => status >= 500 || status === 408 || status === 429;

async function errorOf(server: Connection, response: IncomingMessage) {
  const message = await refusalOf(server, response);
  return isTransient(response.statusCode!) ? new Error(message) : new RefusedError(message);
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

/** The parts of an event that are shown. */
interface Shown {
  createdAt: string;
  type: string;
  label: string | null;
  summary: string | null;
}

/** Wide enough for most types. */
const TYPE_WIDTH = 28;

/** Formats an event as one line: the time, the type, and who did what. */
export function eventLine({ createdAt, type, label, summary }: Shown, isColored: boolean): string {
  const paint = (text: string, style: Style) =>
    isColored ? styleText(style, text, { validateStream: false }) : text;
  const words = printable(summary ?? label ?? "")
    .replaceAll(/\*\*(.+?)\*\*/g, (_, text: string) => paint(withoutLinks(text), "bold"))
    .trim();
  const time = createdAt.replace(/\.\d+Z$/, "Z");
  return `${paint(time, "dim")}  ${paint(printable(type).padEnd(TYPE_WIDTH), colorOf(type))}  ${words}`.trimEnd();
}

const withoutLinks = (text: string) => text.replaceAll(/\[(.*?)\]\([^)]*\)/g, "$1");

type Style = "bold" | "dim" | "red" | "green" | "yellow";

/** Red for removals, green for additions. */
function colorOf(type: string): Style {
  if (/delete|remove|archive|disable|drop|reject|discard|failure|stale-on/.test(type)) return "red";
  return /creat|add|enabled|revive|import|approve|applied/.test(type) ? "green" : "yellow";
}
