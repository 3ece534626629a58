import crypto from "node:crypto";
import { HTTPResponse } from "h3";
import type { ApiError } from "./error.ts";
import { JsonStream, toBody } from "./json-stream.ts";
import { toJson } from "./raw-json.ts";

const COMMON = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "private, no-cache",
  "x-content-type-options": "nosniff",
};

interface ResponseOptions {
  deprecated?: boolean | undefined;
  /** Goes before our own paths, such as those of pictures. */
  basePath?: string;
}

/** A whole answer and its headers; the tag stands for the text. */
export interface Parts {
  headers: Record<string, string> & { etag: string };
  /** A short text goes out together with the headers; a longer one is encoded once, and not at each use. */
  body: string | Buffer<ArrayBuffer>;
}

/** In characters. */
const SHORT = 8 * 1024;

/** A handler's answer in parts, or as a stream if it is long. */
export function toParts(answer: unknown, { deprecated = false, basePath }: ResponseOptions = {}) {
  const text = answer instanceof JsonStream ? toBody(answer) : toJson(answer, basePath);
  const headers: Record<string, string> = { ...COMMON, ...(deprecated && { deprecation: "true" }) };
  if (typeof text !== "string") return { headers, stream: text };
  const body = text.length <= SHORT ? text : Buffer.from(text);
  const etag = `"${crypto.hash("sha1", body, "base64url")}"`;
  return { headers: { ...headers, "content-length": String(Buffer.byteLength(body)), etag }, body };
}

/** The parts as the response, or 304 where the caller has it already; only a read can be answered so. */
export function toResponse(parts: ReturnType<typeof toParts>, request: Request): HTTPResponse {
  if (parts.body === undefined) return new HTTPResponse(parts.stream, { headers: parts.headers });
  if (!isRead(request) || !isKnown(request.headers.get("if-none-match"), parts.headers.etag)) {
    return new HTTPResponse(parts.body, { headers: parts.headers });
  }
  return new HTTPResponse(null, { status: 304, headers: withoutLength(parts.headers) });
}

export const isRead = ({ method }: { method?: string | undefined }) => method === "GET" || method === "HEAD";

/** The headers of an answer that has no body. */
export function withoutLength({ "content-length": _, ...headers }: Record<string, string>) {
  return headers;
}

/** An error as the response. */
export function toErrorResponse(error: ApiError): HTTPResponse {
  const { status, headers, body } = errorParts(error);
  return new HTTPResponse(body, { status, headers });
}

/** The same where there is no app to respond. */
export function errorParts(error: ApiError) {
  const body = JSON.stringify(error.toBody());
  const headers = { ...COMMON, "content-length": String(Buffer.byteLength(body)), ...error.headers };
  return { status: error.status, headers, body };
}

/** `If-None-Match` names this tag, or any. */
export function isKnown(header: string | null | undefined, etag: string) {
  if (!header) return false;
  if (header === etag) return true;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes("*");
}
