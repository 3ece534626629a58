import crypto from "node:crypto";
import type { Context } from "../../evaluation/evaluator.ts";
import { invalid } from "../../http/error.ts";

/** What has a place of its own; all else are properties. */
const NAMED = ["userId", "sessionId", "appName", "environment", "remoteAddress"] as const;

interface Filled {
  address: string | undefined;
  environment: string;
}

/**
 * Who asks, from the parameters of a query: `properties[x]` and any that is not known are properties.
 * @throws ApiError `ValidationError` for a parameter that is given twice
 */
export function fromQuery(query: URLSearchParams): Record<string, unknown> {
  const context: Record<string, unknown> = {};
  const properties: Record<string, string> = {};
  for (const [name, value] of query) {
    const property = /^properties\[(.+)\]$/s.exec(name)?.[1];
    const target = property === undefined ? context : properties;
    const key = property ?? name;
    if (Object.hasOwn(target, key))
      throw invalid({ path: `query.${name}`, message: "is given more than once" });
    if (value !== "") target[key] = value;
  }
  return { ...context, properties };
}

/** The context that flags are evaluated in; what only the server knows is filled in. */
export function toContext(given: Record<string, unknown>, { address, environment }: Filled): Context {
  const { properties, currentTime, ...rest } = given;
  const own = Object.fromEntries(NAMED.map((name) => [name, toText(rest[name])]));
  const others = Object.entries(rest).filter(([name]) => !NAMED.includes(name as (typeof NAMED)[number]));
  return {
    sessionId: crypto.randomUUID(),
    appName: "frontend-api",
    environment,
    ...(address !== undefined && { remoteAddress: address }),
    ...withoutUndefined(own),
    ...toTime(currentTime),
    properties: withoutUndefined(
      Object.fromEntries(
        [...others, ...Object.entries(Object(properties) as object)].map(([name, value]) => [
          name,
          toText(value),
        ]),
      ),
    ),
  };
}

const toText = (value: unknown): string | undefined =>
  value === null || value === undefined || value === "" || typeof value === "object"
    ? undefined
    : String(value);

const withoutUndefined = (values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;

/** A time that is none counts as not given. */
function toTime(value: unknown): { currentTime?: Date } {
  const time = new Date(toText(value) ?? "");
  return Number.isNaN(time.valueOf()) ? {} : { currentTime: time };
}
