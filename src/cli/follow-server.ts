import type { IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { Filter } from "./follow-file.ts";
import { counted } from "./plural.ts";
import { type Connection, explainNetworkError, refusalOf, requireUrl, send, textOf } from "./server-url.ts";

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
export async function* followServer(connection: Following): AsyncGenerator<string> {
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
