import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import { parsedJson } from "../lib/text.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { Contract } from "./operation.ts";

/*
 * Requests to another server.
 */

/** A server, and how to be let in. */
export interface Connection {
  url: string;
  token: string;
  options: https.RequestOptions;
}

/** The address of another server without the path of its API, which people copy along. */
export const rootOf = (url: string) => url.replace(/(\/api(\/admin)?)?\/*$/, "");

/** A connection silent for this long counts as lost, in milliseconds; a stream's comments come more often. */
const SILENCE_MS = 60_000;

/** Sends a request. @returns the response, of which only the head has arrived */
export async function send(url: URL, options: https.RequestOptions, body = ""): Promise<IncomingMessage> {
  const { request: create } = url.protocol === "https:" ? https : http;
  const request = create(url, { timeout: SILENCE_MS, ...options });
  request.on("timeout", () => request.destroy(new Error("nothing received for a minute")));
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}

/** The same to a path of the API, with the credentials. */
export function ask(server: Connection, path: string, options: https.RequestOptions, body?: string) {
  const headers = { authorization: server.token, ...options.headers };
  return send(requireUrl(server.url, path), { ...server.options, ...options, headers }, body);
}

/** What a server's error response says. */
export async function refusalOf({ url }: Connection, response: IncomingMessage) {
  const message = messageIn(await text(response));
  return `${url} responded with ${response.statusCode}${message === undefined ? "" : `: ${message}`}`;
}

/** The message of an error response, if it is one of ours. */
export const messageIn = (body: string): unknown =>
  (parsedJson(body) as { message?: unknown } | null | undefined)?.message;

/** The wait that `Retry-After` asks for, in seconds or until a date; undefined if it doesn't. */
export function retryAfterMs(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

const UNTRUSTED = "its certificate is not trusted: pass it with --ca FILE";

/** What Node's error codes mean to an operator. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing is listening there: start it with flagstone serve",
  ENOTFOUND: "the host name is unknown",
  EPROTO: "it does not speak HTTPS",
  ECONNRESET: "it closed the connection: does it speak HTTPS?",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
};

/** Why a server can't be reached. */
export const explainNetworkError = ({ code = "", message }: NodeJS.ErrnoException) => WORDS[code] ?? message;

/** A path on a server. @throws UsageError for an invalid URL */
export function requireUrl(address: string, path: string): URL {
  const url = URL.parse(`${address.replace(/\/$/, "")}${path}`);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`URL: ${JSON.stringify(address)} must be an http or https URL`);
}

/** What is sent to an operation. */
export interface Input {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

/** The path with its parameters and the query. */
export const pathOf = ({ path }: Contract, { params = {}, query = {} }: Input) =>
  `${path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ""))}?${new URLSearchParams(query)}`;
