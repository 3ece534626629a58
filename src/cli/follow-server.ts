import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { setTimeout } from "node:timers/promises";
import type { Filter } from "./follow-file.ts";
import { counted } from "./plural.ts";
import { inWordsOfNetwork, requireUrl } from "./server-url.ts";

interface Followed {
  url: string;
  token: string;
  trust: https.RequestOptions;
  filter: Filter;
  signal: AbortSignal;
  /** Called when the connection is lost. */
  tell(message: string): void;
}

/** The silence after which a connection counts as lost, in milliseconds; comments arrive more often. */
const SILENCE_MS = 60_000;

/** The wait before reconnecting, doubled each time. In milliseconds. */
const WAIT_MS = { least: 1000, most: 30_000 };

/** An error that retrying won't fix. */
class RefusedError extends Error {}

/** The events of a server as JSON, oldest first, as they are recorded; reconnects when the connection is lost. */
export async function* followServer(followed: Followed): AsyncGenerator<string> {
  const { url, signal, tell } = followed;
  requireUrl(url, "/");
  let since = yield* newest(followed);
  let wait = WAIT_MS.least;
  while (!signal.aborted) {
    let why = "the server ended the stream";
    try {
      const response = await get(followed, "/api/admin/events/stream", {
        ...(since && { "last-event-id": since }),
      });
      for await (const { id, data } of messagesIn(response)) {
        since = id || since;
        wait = WAIT_MS.least;
        if (data !== "") yield data;
      }
    } catch (error) {
      if (error instanceof RefusedError) throw error;
      why = inWordsOfNetwork(error as Error);
    }
    if (signal.aborted) return;
    tell(`${url}: ${why}; trying again in ${counted(wait / 1000, "second")}`);
    await setTimeout(wait, undefined, { signal }).catch(() => {});
    wait = Math.min(2 * wait, WAIT_MS.most);
  }
}

/** The newest events. @returns the id of the last one; undefined if there are none */
async function* newest(followed: Followed): AsyncGenerator<string, string | undefined> {
  const { url, filter, signal } = followed;
  const response = await get(
    followed,
    "/api/admin/search/events",
    {},
    { limit: String(filter.last || 1) },
  ).catch((error: Error) => {
    if (signal.aborted || error instanceof RefusedError) throw error;
    throw new Error(`${url} does not answer: ${inWordsOfNetwork(error)}`);
  });
  const { events } = JSON.parse(await textOf(response)) as { events: Array<{ id: number }> };
  for (const event of events.slice(0, filter.last).reverse()) yield JSON.stringify(event);
  return events[0] && String(events[0].id);
}

/** Temporary problems: the server is starting, stopping or overloaded. */
const isPassing = (status: number) => status >= 500 || status === 408 || status === 429;

/** @throws RefusedError for errors that retrying won't fix */
async function get(
  { url, token, trust, filter: { type, project, feature }, signal }: Followed,
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
  throw new (isPassing(status) ? Error : RefusedError)(`${url} answers ${status}${message}`);
}

/** The message of an error answer, if it is one of ours. */
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
