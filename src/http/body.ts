import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { assertBodySize, type H3Event } from "h3";
import * as v from "valibot";
import { ApiError, invalid } from "../lib/api-error.ts";
import type { Schema } from "../lib/validation.ts";
import { DECODABLE, decode } from "./encoding.ts";

/** The largest accepted body, compressed or not. In bytes. */
export const BODY_LIMIT = 1024 * 1024;

/** A body's text, decompressed, and its parsed value. */
export interface Body {
  text: string;
  value: object;
}

/**
 * The JSON object in the request's body, or the list if the schema is one or allows one.
 * @throws ApiError `ContentTypeError`, `PayloadTooLargeError`, or `ValidationError` for any other body.
 */
export async function readJson(event: H3Event, { type }: Schema): Promise<Body> {
  const { headers } = event.req;
  requireJson(headers.get("content-type") ?? "");
  const encoding = encodingOf(headers.get("content-encoding"));
  const bytes = await decoded(encoding, await readBytes(event));
  const expected = { array: "list", union: "object or list" }[type] ?? "object";
  if (bytes.length === 0) throw invalid({ path: "body", message: `is missing: send a JSON ${expected}` });
  if (!isUtf8(bytes)) throw invalid({ path: "body", message: "is not valid UTF-8" });
  const text = new TextDecoder().decode(bytes);
  const value = parse(text);
  const isExpected =
    typeof value === "object" &&
    value !== null &&
    (type === "union" || Array.isArray(value) === (type === "array"));
  if (isExpected) return { text, value };
  throw invalid({ path: "body", message: `must be a JSON ${expected}` });
}

function requireJson(type: string) {
  const [mime = "", ...parameters] = type
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const isUtf8Charset = parameters.every(
    (part) => !part.startsWith("charset=") || /^charset="?utf-?8"?$/.test(part),
  );
  if (mime === "application/json" && isUtf8Charset) return;
  throw new ApiError(
    "ContentTypeError",
    `Send the body as application/json in UTF-8; this was ${type === "" ? "of no type" : type.slice(0, 80)}`,
  );
}

function encodingOf(header: string | null) {
  const encoding = (header ?? "identity").trim().toLowerCase();
  if (DECODABLE.includes(encoding)) return encoding;
  throw new ApiError(
    "ContentTypeError",
    `Send the body in one of the encodings ${DECODABLE.join(", ")}; this was ${encoding.slice(0, 80)}`,
  );
}

/** The raw bytes of a body. @throws ApiError `PayloadTooLargeError` */
export function readBytes(event: H3Event): Promise<Buffer> {
  const request = event.runtime?.node?.req as IncomingMessage | undefined;
  return request ? readSocket(request) : readStream(event);
}

/** Reads Node's request directly: wrapping it in a web stream would take longer than reading most bodies. */
function readSocket(request: IncomingMessage): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let left = BODY_LIMIT;
  if (Number(request.headers["content-length"] ?? 0) > left) throw tooLarge();
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left >= 0) chunks.push(chunk);
    else reject(tooLarge());
  });
  request.on("end", () => resolve(Buffer.concat(chunks)));
  request.on("error", () => reject(incomplete()));
  request.on("close", () => request.complete || reject(incomplete()));
  return promise;
}

async function readStream(event: H3Event): Promise<Buffer> {
  try {
    assertBodySize(event, BODY_LIMIT);
    return Buffer.from(await event.req.arrayBuffer());
  } catch (error) {
    const isTooLarge = error instanceof Error && "status" in error && error.status === 413;
    throw isTooLarge ? tooLarge() : incomplete();
  }
}

const incomplete = () => invalid({ path: "body", message: "ended before it was complete" });

async function decoded(encoding: string, bytes: Buffer): Promise<Buffer> {
  try {
    return await decode(encoding, bytes, BODY_LIMIT);
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw isTooLarge ? tooLarge() : invalid({ path: "body", message: `is not valid ${encoding}` });
  }
}

const tooLarge = () => new ApiError("PayloadTooLargeError", `The body is larger than ${BODY_LIMIT} bytes`);

function parse(text: string): unknown {
  try {
    return JSON.parse(text, text.includes("\\u0000") ? refuseNul : undefined);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw invalid({ path: "body", message: "is not valid JSON" });
  }
}

/** No stored text contains this character, and SQLite's functions stop at it. */
function refuseNul(key: string, value: unknown) {
  const holdsNul = key.includes("\0") || (typeof value === "string" && value.includes("\0"));
  const path = `body.${key.slice(0, 80)}`; // it is logged too
  if (holdsNul) throw invalid({ path, message: "must not contain the character NUL" });
  return value;
}

/** What may be inside a schema, whatever its type. */
interface Parts {
  type: string;
  /** Of an optional or a nullable value. */
  wrapped?: Schema;
  /** Of a list. */
  item?: Schema;
  /** Of an object with known keys. */
  entries?: Readonly<Record<string, Schema>>;
  /** Of an object with any keys. */
  value?: Schema;
  /** Of a union. */
  options?: readonly Schema[];
  /** Of a variant: which property tells its options apart. */
  key?: string;
}

/**
 * A JSON value with the types that the schema describes, as far as the original converts them: a number or a boolean
 * becomes text; digits become a number; `"true"`, `"false"`, 1 and 0 become booleans; and a property that may be absent
 * but not null is absent if it is null (docs/choices.md). All else stays as it is, for the schema to refuse.
 */
export function convert(schema: Schema, value: unknown): unknown {
  const { type, wrapped, item, options, key, ...object } = schema as unknown as Parts;
  if (type === "optional" && value === null && !v.is(wrapped!, null)) return undefined;
  if (wrapped) return convert(wrapped, value);
  if (type === "union") return toOption(options!, value);
  if (type === "variant") return toVariant(options!, key!, value);
  if (Array.isArray(value)) return item ? value.map((one) => convert(item, one)) : value;
  if (typeof value === "object" && value !== null) return toObject(object, value);
  return toScalar(type, value);
}

/** The first conversion that fits, unless the value fits already. */
const toOption = (options: readonly Schema[], value: unknown) =>
  options.some((option) => v.is(option, value))
    ? value
    : (options
        .map((option) => ({ option, converted: convert(option, value) }))
        .find(({ option, converted }) => v.is(option, converted))?.converted ?? value);

/** The conversion of the option that the property chooses. */
function toVariant(options: readonly Schema[], key: string, value: unknown) {
  const chosen = Object(value)[key];
  const option = options.find((one) => v.is((one as unknown as Parts).entries![key]!, chosen));
  return option ? convert(option, value) : value;
}

function toObject({ entries = {}, value: anyValue }: Pick<Parts, "entries" | "value">, given: object) {
  const others = anyValue && anyValue.type !== "object" ? v.optional(anyValue) : anyValue;
  const convertEntry = ([key, value]: [string, unknown]) => {
    const schema = Object.hasOwn(entries, key) ? entries[key] : others;
    return [key, schema ? convert(schema, value) : value] as const;
  };
  const converted = Object.entries(given).map(convertEntry);
  return Object.fromEntries(converted.filter(([, value]) => value !== undefined));
}

function toScalar(type: string, value: unknown) {
  if (type === "string" && (typeof value === "number" || typeof value === "boolean")) return String(value);
  if (type === "number" && typeof value === "string" && isNumber(value)) return Number(value);
  if (type === "boolean") return BOOLEANS.get(value) ?? value;
  return value;
}

const isNumber = (text: string) => text.trim() !== "" && Number.isFinite(Number(text));

const BOOLEANS = new Map<unknown, boolean>([
  ["true", true],
  [1, true],
  ["false", false],
  [0, false],
]);
