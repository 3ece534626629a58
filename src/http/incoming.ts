import type { H3Event } from "h3";
import type { Database } from "../db/statement.ts";
import { check, type Schema } from "../validation.ts";
import { ApiError, invalid, requireValid } from "./error.ts";
import type { Contract, Operation, Request } from "./operation.ts";

/** Path parameters, decoded only now so that `%2F` stays inside its parameter; the path is known to be decodable. */
export const decodedParams = (event: H3Event): Record<string, string> =>
  Object.fromEntries(
    Object.entries(event.context.params ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
  );

/** Undeclared parameters are checked too, as everywhere (CONTRACT, paths). */
function requireNoNul({ search, searchParams }: H3Event["url"]) {
  if (!search.includes("%00")) return;
  for (const [name, value] of searchParams) {
    if (value.includes("\0"))
      throw invalid({ path: `query.${name}`, message: "must not contain the character NUL" });
  }
}

/** The declared query parameters; others are ignored, and a repeated one is refused unless its schema is a list. */
function queryValues(schema: NonNullable<Contract["query"]>, event: H3Event) {
  const given = event.url.searchParams;
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
export function checkedParams(
  { params, wrongParamsAre404 }: Operation,
  raw: Record<string, string>,
): unknown {
  if (wrongParamsAre404 && params && check(params, raw).violations) {
    throw new ApiError("NotFoundError", `There is nothing with the id ${Object.values(raw).join(", ")}`);
  }
  return checked(params, raw, "path");
}

/** The query. @throws ApiError `ValidationError` */
export function checkedQuery({ query }: Operation, event: H3Event): unknown {
  requireNoNul(event.url);
  return checked(query, query && queryValues(query, event), "query");
}

/** The declared fields of one part of a request. @throws ApiError `ValidationError` */
export const checked = (schema: Schema | undefined, input: unknown, where: string): unknown =>
  schema && requireValid(schema, input, where);

/** The request as a handler sees it. @param checkedParts the validated parts */
export const toRequest = (
  db: Database,
  event: H3Event,
  checkedParts: { params: unknown; query: unknown; body: unknown },
) =>
  ({
    db,
    actor: event.context.actor,
    ...checkedParts,
    address: event.context.address,
    isSecure: event.context.isSecure,
    headers: event.req.headers,
    // Lazy: few handlers use them.
    get searchParams() {
      return event.url.searchParams;
    },
    get signal() {
      return event.req.signal;
    },
  }) as Request<Contract>;
