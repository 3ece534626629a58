import crypto from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { pipeline, Readable } from "node:stream";
import zlib from "node:zlib";
import { HTTPResponse } from "h3";
import type { ApiError, ErrorBody } from "../lib/api-error.ts";
import { endOfTurn } from "../lib/background.ts";
import { toJson } from "../lib/raw-json.ts";
import {
  acceptsGzip,
  type Encoding,
  encodeOnce,
  encodingFor,
  isWorthCompressing,
  ownBytes,
} from "./encoding.ts";
import { JsonLines, JsonStream, toBody, toLines } from "./json-stream.ts";
import { type Contract, textTypeOf, WithHeaders } from "./operation.ts";

const COMMON = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "private, no-cache",
  "x-content-type-options": "nosniff",
  vary: "accept-encoding",
};

interface ResponseOptions {
  /** The operation's response schema. */
  response?: Contract["response"];
  deprecated?: boolean | undefined;
  /** Headers set by the handler. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Prefixes our own paths, such as those of avatars: the base path, or the public URL. */
  root?: string;
  /** Properties that don't count toward the version. */
  volatile?: readonly string[] | undefined;
}

const NOTHING = { "cache-control": COMMON["cache-control"], "content-length": "0" };

/** A whole response; its tag, if it has a body, is the same however it is compressed. */
export interface Parts {
  headers: Record<string, string>;
  /** Short text is sent together with the headers; longer text is encoded once, not at each use. */
  body: string | Buffer<ArrayBuffer>;
  /** A hash of the body. */
  digest?: string;
  /** If it differs from the contract's. */
  status?: number | undefined;
}

/** A response too long to hold in memory. */
export interface StreamParts {
  headers: Record<string, string>;
  status?: number | undefined;
  stream: Readable;
  /** Whether each piece is awaited, so that none may be held back. */
  isLive?: boolean;
}

/** In characters. */
const SHORT_TEXT = 8 * 1024;

/** Turns a handler's result into parts, or into a stream if it is long. */
export function toParts(result: unknown, options: ResponseOptions = {}): Parts | StreamParts {
  if (result instanceof WithHeaders)
    return { ...toParts(result.body, { ...options, headers: result.headers }), status: result.status };
  if (result === undefined) return { headers: { ...NOTHING, ...options.headers }, body: "" };
  const type = textTypeOf(options.response);
  if (result instanceof JsonLines)
    return { headers: headersFor(withType(options, type!)), stream: toLines(result), isLive: true };
  if (type) return wholeParts(result as string, withType(options, type));
  const { root = "", volatile } = options;
  const text = result instanceof JsonStream ? toBody(result, root) : toJson(result, root);
  if (text instanceof Readable) return { headers: headersFor(options), stream: text };
  return wholeParts(text, options, volatile && toJson(result, root, volatile));
}

const withType = ({ headers, ...options }: ResponseOptions, type: string): ResponseOptions => ({
  ...options,
  headers: { ...headers, "content-type": `${type}; charset=utf-8` },
});

/** Parts from JSON text or its bytes. @param stable the part that determines the version, if not all of it */
export function wholeParts(text: Parts["body"], options: ResponseOptions = {}, stable?: string): Parts {
  const body = typeof text === "string" && text.length > SHORT_TEXT ? ownBytes(text) : text;
  const given = options.headers?.etag;
  const digest = given === undefined ? hash(body) : undefined;
  const etag = given ?? (stable === undefined ? `"${digest}"` : `"${hash(stable)}.${digest}"`);
  return {
    headers: { ...headersFor(options), "content-length": String(Buffer.byteLength(body)), etag },
    body,
    ...(digest !== undefined && { digest }),
  };
}

const hash = (body: Parts["body"]) => crypto.hash("sha1", body, "base64url");

const headersFor = ({ deprecated, headers }: ResponseOptions) => ({
  ...COMMON,
  ...(deprecated && { deprecation: "true" }),
  ...headers,
});

/** The encoding to use for a client; undefined if the parts are not to be compressed, or already are. */
export const encodingOf = ({ headers }: Parts, accepted: string | null | undefined): Encoding | undefined =>
  headers["content-encoding"] === undefined && isWorthCompressing(Number(headers["content-length"]))
    ? encodingFor(accepted)
    : undefined;

/** The same response compressed. Its tag is weak, since different bytes share it. */
export async function encodeParts(parts: Parts, encoding: Encoding): Promise<Parts> {
  const { headers, body, digest = hash(body), ...rest } = parts;
  const encoded = await encodeOnce(encoding, body, digest);
  return {
    headers: {
      ...headers,
      "content-length": String(encoded.length),
      "content-encoding": encoding,
      etag: `W/${headers.etag}`,
    },
    body: encoded,
    ...rest,
  };
}

/** What an operation's contract says about its successful responses. */
type SuccessOptions = Pick<Contract, "status" | "isConditional">;

export function toResponse(
  parts: Parts,
  { method, headers: given }: Request,
  success: SuccessOptions = {},
): HTTPResponse {
  const reply = toReply(parts, { method, known: given.get("if-none-match"), success });
  return respond(reply.status, reply.body, reply.headers);
}

interface ReplyOptions {
  method: string | undefined;
  known: string | null | undefined;
  success: SuccessOptions;
}

/** The reply for these parts: a 304 to a read whose caller already has them. */
function toReply({ headers, body, status: own }: Parts, { method, known, success }: ReplyOptions) {
  const status = own ?? success.status ?? 200;
  const isUnmodified = (success.isConditional ?? isRead({ method })) && matches(known, headers.etag);
  if (isUnmodified || status === 204)
    return { status: isUnmodified ? 304 : 204, headers: withoutLength(headers), body: null };
  return { status, headers, body: body === "" ? null : body }; // even an empty text would get a content type
}

/**
 * Writes a whole response straight to its socket; going through a web Response would take as long as producing most of
 * them. Resolves once it is written, leaving h3 nothing to send.
 */
export async function sendParts(
  parts: Parts,
  { method, headers: given }: IncomingMessage,
  response: ServerResponse,
  success: SuccessOptions,
): Promise<void> {
  const { status, headers, body } = toReply(parts, { method, known: given["if-none-match"], success });
  await endOfTurn();
  if (!response.destroyed) response.writeHead(status, headers).end(method === "HEAD" ? null : body);
}

/** A stream as the response, compressed if the client accepts it and nothing would wait for that. */
export function toStreamed({ headers, stream, isLive }: StreamParts, request: Request): HTTPResponse {
  if (isLive || !acceptsGzip(request.headers.get("accept-encoding"))) return respond(200, stream, headers);
  const compressed = pipeline(stream, zlib.createGzip(), () => {}); // an error on one side ends the other too
  return respond(200, compressed, { ...headers, "content-encoding": "gzip" });
}

/** Adds the reason phrase, which some clients show. A Node stream goes straight to Node's response. */
const respond = (
  status: number,
  body: HTTPResponse["body"] | NodeJS.ReadableStream,
  headers: Record<string, string>,
) => new HTTPResponse(body as HTTPResponse["body"], { status, statusText: STATUS_CODES[status]!, headers });

export const isRead = ({ method }: { method?: string | undefined }) => method === "GET" || method === "HEAD";

export function withoutLength({ "content-length": _, ...headers }: Record<string, string>) {
  return headers;
}

export function toErrorResponse(
  error: ApiError,
  content: ErrorBody,
  cors?: Record<string, string>,
): HTTPResponse {
  const { status, headers, body } = errorParts(error, content);
  return respond(status, body, { ...headers, ...cors });
}

export function errorParts(error: ApiError, content = error.toBody()) {
  const body = JSON.stringify(content);
  const headers: Record<string, string> = {
    ...COMMON,
    "content-length": String(Buffer.byteLength(body)),
    ...error.headers,
  };
  return { status: error.status, headers, body };
}

/*
 * A response's tag identifies its content, however it is compressed. If part of the content varies with use, time
 * or caller, the tag begins with a hash of the rest, the version, which is all that `If-Match` compares.
 */

/** Whether `If-None-Match` names this tag, or any; weak tags match too. */
export function matches(header: string | null | undefined, etag: string | undefined) {
  if (!header || !etag) return false;
  return header === etag || names(header, etag, opaque);
}

/** Whether `If-Match` names this tag's version, or any; weak tags match too, as compressed responses have no other. */
export const isCurrentTag = (header: string, etag: string) => names(header, etag, versionOf);

function names(header: string, etag: string, part: (tag: string) => string) {
  const tags = header.split(",").map((tag) => part(tag.trim()));
  return tags.includes(part(etag)) || tags.includes("*");
}

const opaque = (tag: string) => tag.replace(/^W\//, "");

const versionOf = (tag: string) => opaque(tag).replaceAll('"', "").split(".")[0]!;
