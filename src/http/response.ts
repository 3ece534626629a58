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

/** A handler's answer as the response, or 304 where the caller has it already. */
export function toResponse(answer: unknown, request: Request, options: ResponseOptions = {}): HTTPResponse {
  const { deprecated = false, basePath } = options;
  const body = answer instanceof JsonStream ? toBody(answer) : toJson(answer, basePath);
  const headers: Record<string, string> = { ...COMMON, ...(deprecated && { deprecation: "true" }) };
  if (typeof body !== "string") return new HTTPResponse(body, { headers });
  headers.etag = `"${crypto.hash("sha1", body, "base64url")}"`;
  if (isKnown(request, headers.etag)) return new HTTPResponse(null, { status: 304, headers });
  headers["content-length"] = String(Buffer.byteLength(body));
  return new HTTPResponse(body, { headers });
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

/** `If-None-Match` names this tag, or any; only a read can be answered with 304. */
function isKnown(request: Request, etag: string) {
  const header = request.headers.get("if-none-match");
  if (header === null || (request.method !== "GET" && request.method !== "HEAD")) return false;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes("*");
}
