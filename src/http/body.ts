import { isUtf8 } from "node:buffer";
import { assertBodySize, type H3Event } from "h3";
import { ApiError, invalid } from "./error.ts";

/** The largest body that is read (CONTRACT, 413). */
const LIMIT = 1024 * 1024;

/**
 * The JSON object in the request's body.
 * @throws ApiError `ContentTypeError`, `PayloadTooLargeError`, or `ValidationError` for what is no JSON object.
 */
export async function readJsonObject(event: H3Event): Promise<object> {
  requireJson(event.req.headers);
  const bytes = await readBytes(event);
  if (bytes.length === 0) throw invalid({ path: "body", message: "is missing: send a JSON object" });
  if (!isUtf8(bytes)) throw invalid({ path: "body", message: "is not valid UTF-8" });
  const value = parse(new TextDecoder().decode(bytes));
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw invalid({ path: "body", message: "must be a JSON object" });
}

function requireJson(headers: Headers) {
  const type = headers.get("content-type") ?? "";
  const encoding = headers.get("content-encoding") ?? "identity";
  const [mime = "", ...parameters] = type
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const isUtf8Charset = parameters.every(
    (part) => !part.startsWith("charset=") || /^charset="?utf-?8"?$/.test(part),
  );
  if (mime === "application/json" && isUtf8Charset && encoding.toLowerCase() === "identity") return;
  throw new ApiError(
    "ContentTypeError",
    `Send the body as application/json in UTF-8, not compressed; this was ${type === "" ? "of no type" : type.slice(0, 80)}`,
  );
}

async function readBytes(event: H3Event): Promise<Uint8Array> {
  try {
    assertBodySize(event, LIMIT);
    return new Uint8Array(await event.req.arrayBuffer());
  } catch (error) {
    const isTooLarge = error instanceof Error && "status" in error && error.status === 413;
    if (!isTooLarge) throw invalid({ path: "body", message: "ended before it was complete" });
    throw new ApiError("PayloadTooLargeError", `The body is larger than ${LIMIT} bytes`, {
      headers: { connection: "close" }, // the rest of it is not waited for
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid({ path: "body", message: "is not valid JSON" });
  }
}
