import crypto from "node:crypto";
import type { SdkActor } from "../access/authenticate.ts";
import { type Context, toContext } from "../evaluation/context.ts";
import { GET, POST } from "../http/operation.ts";
import { invalid } from "../lib/api-error.ts";
import { evaluatorOf, inTimeOf } from "./client-evaluators.ts";
import { answerFor } from "./frontend-answers.ts";
import { FrontendFlags, FrontendRequest } from "./frontend-schema.ts";

export const readFrontendFlags = GET({
  id: "getFrontendFeatures",
  summary: "The flags that are on for the context in the query",
  tag: "Frontend",
  path: "/api/frontend",
  permission: { isForSdks: true },
  isUncached: true,
  response: FrontendFlags,
}).run(({ db, actor, searchParams, address }) => {
  const own = evaluatorOf(db, actor as SdkActor);
  const filled = contextDefaults(address, own.environment);
  return answerFor(db, own, inTimeOf(db, toContext(fromQuery(searchParams), filled)), filled.sessionId);
});

export const postFrontendFlags = POST({
  id: "getPostFrontendFeatures",
  summary: "The flags that are on for the context in the body; only the environment is filled in",
  tag: "Frontend",
  path: "/api/frontend",
  permission: { isForSdks: true },
  isUncached: true,
  body: FrontendRequest,
  response: FrontendFlags,
  example: { context: { appName: "checkout", userId: "7", properties: { plan: "gold" } } },
}).run(({ db, actor, body }) => {
  const own = evaluatorOf(db, actor as SdkActor);
  return answerFor(db, own, inTimeOf(db, toContext(body.context, { environment: own.environment })));
});

/**
 * The context from query parameters: `properties[x]` and all unknown parameters become properties.
 * @throws ApiError `ValidationError` for a repeated parameter
 */
function fromQuery(query: URLSearchParams): Record<string, unknown> {
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
const contextDefaults = (address: string | undefined, environment: string): Partial<Context> => ({
  sessionId: crypto.randomUUID(),
  appName: "frontend-api",
  environment,
  ...(address !== undefined && { remoteAddress: address }),
});
