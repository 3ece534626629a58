import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { setTimeout } from "node:timers/promises";
import type { Filter } from "./follow-file.ts";
import { counted } from "./plural.ts";
import { explainNetworkError, requireUrl } from "./server-url.ts";

interface Connection {
  url: string;
  token: string;
  trust: https.RequestOptions;
  filter: Filter;
  signal: AbortSignal;
  /** Called when the connection is lost. */
  warn(message: string): void;
}

/** A connection silent for this long counts as lost, in milliseconds; the server sends comments more often. */
const SILENCE_MS = 60_000;

/** The wait before reconnecting, in milliseconds; it doubles each time. */
const BACKOFF_MS = { min: 1000, max: 30_000 };

/** An error that retrying won't fix. */
class RefusedError extends Error {}

/** The events of a server as JSON, oldest first, as they are recorded; reconnects when the connection is lost. */
export async function* followServer(connection: Connection): AsyncGenerator<string> {
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
async function* newest(connection: Connection): AsyncGenerator<string, string | undefined> {
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
  { url, token, trust, filter: { type, project, feature }, signal }: Connection,
  path: string,
  headers: Record<string, string> = {},
  query: Record<string, string> = {},
): Promise<IncomingMessage> {
  const target = requireUrl(url, path);
  for (const [name, values] of Object.entries({ type, project, feature }))
    if (values) target.searchParams.set(name, `IS_ANY_OF:${values.join(",")}`);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
  const options = { headers: { authorization: token, ...headers }, signal, ...trust };
  const request = target.protocol === "https:" ? https.get(target, options) : http.get(target, options);
  request.setTimeout(SILENCE_MS, () => request.destroy(new Error("nothing received for a minute")));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const status = response.statusCode!;
  if (status === 200) return response;
  const message = messageOf(await textOf(response));
  throw new (isTransient(status) ? Error : RefusedError)(`${url} responded with ${status}${message}`);
}

/** The message of an error response, if it is one of ours. */
function messageOf(text: string) {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return message === undefined ? "" : `: ${message}`;
  } catch {
    return "";
  }
}

async function textOf(response: IncomingMessage) {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return text;
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
