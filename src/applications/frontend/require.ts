import crypto from "node:crypto";
import type { Context } from "../../evaluation/context.ts";
import { invalid } from "../../lib/api-error.ts";

/**
 * The context from query parameters: `properties[x]` and all unknown parameters become properties.
 * @throws ApiError `ValidationError` for a repeated parameter
 */
export function fromQuery(query: URLSearchParams): Record<string, unknown> {
  // Without a prototype, so that `__proto__` is a name like any other.
  const context: Record<string, unknown> = Object.create(null);
  const properties: Record<string, string> = Object.create(null);
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

/** What only the server knows, for a context that lacks it (original). */
export const contextDefaults = (address: string | undefined, environment: string): Partial<Context> => ({
  sessionId: crypto.randomUUID(),
  appName: "frontend-api",
  environment,
  ...(address !== undefined && { remoteAddress: address }),
});
