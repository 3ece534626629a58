import type { IncomingMessage } from "node:http";
import type { EventHandler, H3, H3Event } from "h3";
import { requirePermission } from "../auth/permission.ts";
import type { Database } from "../db/statement.ts";
import { check, type Schema } from "../validation.ts";
import type { Answers } from "./answers.ts";
import { readJsonObject } from "./body.ts";
import { ApiError, invalid } from "./error.ts";
import type { Contract, Operation, Request as OperationRequest } from "./operation.ts";
import { toParts, toResponse } from "./response.ts";

interface Site {
  db: Database;
  /** For the paths that answers name. */
  basePath: string;
  /** Where answers to reads are kept. */
  answers?: Answers | undefined;
}

/** Routes every operation. */
export function mount(app: H3, site: Site, operations: Operation[]) {
  for (const [path, group] of Map.groupBy(operations, (operation) => operation.path)) {
    const handler = (operation: Operation) => (event: H3Event) => answer(site, operation, event);
    route(app, path, Object.fromEntries(group.map((operation) => [operation.method, handler(operation)])));
  }
}

/** Routes a path: HEAD wherever GET is, and 405 for the methods that it does not have. */
export function route(app: H3, path: string, handlers: Partial<Record<Contract["method"], EventHandler>>) {
  const { GET, POST } = handlers;
  const routed = { ...(GET && { GET, HEAD: GET }), ...(POST && { POST }) };
  for (const [method, handler] of Object.entries(routed)) app.on(method as Contract["method"], path, handler);
  const allow = Object.keys(routed).join(", ");
  app.all(path, (event) => {
    throw new ApiError("MethodNotAllowedError", `${event.req.method} is not possible here, only ${allow}`, {
      headers: { allow },
    });
  });
}

/** Permission, path, query, body: the first that fails is the answer. Waits only where a body is read. */
function answer({ db, basePath, answers }: Site, operation: Operation, event: H3Event) {
  const { actor } = event.context;
  const raw = decodedParams(event);
  requirePermission(actor, permissionFor(operation, actor, raw));
  const params = checkedParams(operation, raw);
  const query = checked(operation.query, operation.query && queryValues(operation.query, event), "query");
  const run = (body: unknown) => {
    const result = operation.handle({ db, actor, params, query, body } as OperationRequest<Contract>);
    const respond = (value: unknown) => {
      const parts = toParts(value, { deprecated: operation.deprecated, basePath });
      const request = event.runtime?.node?.req as IncomingMessage | undefined;
      if (request && parts.body !== undefined) answers?.keep(request, parts, actor.expiresAt);
      return toResponse(parts, event.req);
    };
    return result instanceof Promise ? result.then(respond) : respond(result);
  };
  if (!operation.body) return run(undefined);
  return readJsonObject(event).then((body) => run(checked(operation.body, body, "body")));
}

const permissionFor = (
  { permission }: Operation,
  actor: H3Event["context"]["actor"],
  raw: Record<string, string>,
) => (typeof permission === "function" ? permission(actor, raw) : permission);

/** Each parameter decoded once, so that `%2F` stays inside it; that it can be was checked on arrival. */
const decodedParams = (event: H3Event): Record<string, string> =>
  Object.fromEntries(
    Object.entries(event.context.params ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
  );

/** The declared parameters of the query; others are ignored, a repeated one is refused. */
function queryValues(schema: NonNullable<Contract["query"]>, event: H3Event) {
  const given = event.url.searchParams;
  const value = (name: string) => {
    const [first, ...others] = given.getAll(name);
    if (others.length > 0) throw invalid({ path: `query.${name}`, message: "is given more than once" });
    return first;
  };
  return Object.fromEntries(Object.keys(schema.entries).map((name) => [name, value(name)]));
}

function checkedParams({ params, wrongParamsAre404 }: Operation, raw: Record<string, string>): unknown {
  if (wrongParamsAre404 && params && check(params, raw).violations) {
    throw new ApiError("NotFoundError", `There is nothing with the id ${Object.values(raw).join(", ")}`);
  }
  return checked(params, raw, "path");
}

function checked(schema: Schema | undefined, input: unknown, where: string): unknown {
  if (!schema) return undefined;
  const result = check(schema, input, where);
  if (result.violations) throw invalid(...result.violations);
  return result.value;
}
