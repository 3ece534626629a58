import { Readable } from "node:stream";
import { ReadableStream, type ReadableStream as WebStream } from "node:stream/web";
import type { H3Event } from "h3";
import type { Database } from "../db/database.ts";
import { ApiError, invalid, requireValid } from "../lib/api-error.ts";
import { check, type Schema } from "../lib/validation.ts";
import { convert } from "./body.ts";
import type { Contract, Request } from "./operation.ts";

/** Path parameters, decoded only now so that `%2F` stays inside its parameter; the path is known to be decodable. */
export const decodedParams = (event: H3Event): Record<string, string> =>
  Object.fromEntries(
    Object.entries(event.context.params ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
  );

/** Undeclared parameters are checked too, as everywhere. */
function requireNoNul(url: URL) {
  if (!url.search.includes("%00")) return;
  for (const [name, value] of url.searchParams) {
    if (value.includes("\0"))
      throw invalid({ path: `query.${name}`, message: "must not contain the character NUL" });
  }
}

/** The declared query parameters; others are ignored, and a repeated one is refused unless its schema is a list. */
function queryValues(schema: NonNullable<Contract["query"]>, { searchParams: given }: URL) {
  const value = (name: string, isList: boolean) => {
    const [first, ...others] = given.getAll(name);
    if (isList) return [...given.getAll(name), ...given.getAll(`${name}[]`)];
    if (others.length > 0) throw invalid({ path: `query.${name}`, message: "is given more than once" });
    return first;
  };
  return Object.fromEntries(
    Object.entries(schema.entries).map(([name, { type }]) => [name, value(name, type === "array")]),
  );
}

/** The parameters of the path. @throws ApiError `ValidationError`, or `NotFoundError` if the contract says so */
export function checkedParams({ params, wrongParamsAre404 }: Contract, raw: Record<string, string>): unknown {
  if (wrongParamsAre404 && params && check(params, raw).violations) {
    throw new ApiError("NotFoundError", `There is nothing with the id ${Object.values(raw).join(", ")}`);
  }
  return checked(params, raw, "path");
}

/** The query. @throws ApiError `ValidationError` */
export function checkedQuery({ query }: Contract, url: URL): unknown {
  requireNoNul(url);
  return checked(query, query && queryValues(query, url), "query");
}

/** The body, with the types that its schema describes. @throws ApiError `ValidationError` */
export const checkedBody = ({ body, isStrict }: Contract, value: unknown): unknown =>
  checked(body, body && !isStrict ? convert(body, value) : value, "body");

/** The declared fields of one part of a request. @throws ApiError `ValidationError` */
export const checked = (schema: Schema | undefined, input: unknown, where: string): unknown =>
  schema && requireValid(schema, input, where);

interface CheckedParts {
  params: unknown;
  query: unknown;
  body: unknown;
}

export const toRequest = (db: Database, event: H3Event, parts: CheckedParts) =>
  new HandlerRequest(event, { db, ...parts }) as unknown as Request<Contract>;

/** A class, because V8 keeps the getters of an object literal, and all they refer to, until its next full collection. */
class HandlerRequest {
  readonly #event: H3Event;

  constructor(event: H3Event, parts: object) {
    this.#event = event;
    const { actor, address, isSecure } = event.context;
    Object.assign(this, parts, { actor, address, isSecure });
  }

  get upload() {
    return Readable.fromWeb((this.#event.req.body ?? new ReadableStream()) as WebStream);
  }

  get headers() {
    return this.#event.req.headers;
  }

  get searchParams() {
    return this.#event.url.searchParams;
  }

  get signal() {
    return this.#event.req.signal;
  }
}
