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
  body: string;
}

/** A handler's answer in parts, or as a stream if it is long. */
export function toParts(answer: unknown, { deprecated = false, basePath }: ResponseOptions = {}) {
  const body = answer instanceof JsonStream ? toBody(answer) : toJson(answer, basePath);
  const headers: Record<string, string> = { ...COMMON, ...(deprecated && { deprecation: "true" }) };
  if (typeof body !== "string") return { headers, stream: body };
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
