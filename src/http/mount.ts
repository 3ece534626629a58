import type { IncomingMessage } from "node:http";
import { type EventHandler, type H3, type H3Event, HTTPResponse } from "h3";
import { requirePermission } from "../auth/permission.ts";
import type { Database } from "../db/statement.ts";
import { check, type Schema } from "../validation.ts";
import type { Answers } from "./answers.ts";
import { readJsonObject } from "./body.ts";
import { ApiError, invalid } from "./error.ts";
import type { Contract, Operation, Request as OperationRequest } from "./operation.ts";
import { encodeParts, encodingOf, type Parts, toParts, toResponse, toStreamed } from "./response.ts";

interface Site {
  db: Database;
  /** Goes before the paths that answers name. */
  root: string;
  /** Where answers to reads are kept. */
  answers?: Answers | undefined;
}

/** Routes every operation. */
export function mount(app: H3, site: Site, operations: readonly Operation[]) {
  for (const [path, group] of Map.groupBy(operations, (operation) => operation.path)) {
    const handler = (operation: Operation) => (event: H3Event) => answer(site, operation, event);
    route(app, path, Object.fromEntries(group.map((operation) => [operation.method, handler(operation)])));
  }
}

/** Routes a path: HEAD wherever GET is, OPTIONS says which methods there are, and any other is 405. */
export function route(app: H3, path: string, handlers: Partial<Record<Contract["method"], EventHandler>>) {
  const { GET, POST } = handlers;
  const routed = { ...(GET && { GET, HEAD: GET }), ...(POST && { POST }) };
  for (const [method, handler] of Object.entries(routed)) app.on(method as Contract["method"], path, handler);
  const allow = Object.keys(routed).join(", ");
  app.options(
    path,
    () => new HTTPResponse("", { statusText: "OK", headers: { allow, "content-length": "0" } }),
  );
  app.all(path, (event) => {
    throw new ApiError("MethodNotAllowedError", `${event.req.method} is not possible here, only ${allow}`, {
      headers: { allow },
    });
  });
}

/** Permission, path, query, body: the first that fails is the answer. Waits only where a body is read. */
function answer({ db, root, answers }: Site, operation: Operation, event: H3Event) {
  const { actor } = event.context;
  const raw = decodedParams(event);
  requirePermission(actor, permissionFor(operation, actor, raw));
  const params = checkedParams(operation, raw);
  requireNoNul(event.url);
  const query = checked(operation.query, operation.query && queryValues(operation.query, event), "query");
  const run = (body: unknown) => {
    const result = operation.handle({
      db,
      actor,
      params,
      query,
      body,
      get signal() {
        return event.req.signal; // made only where it is asked for
      },
    } as OperationRequest<Contract>);
    const respond = (value: unknown) =>
      answerWith(value, event, { deprecated: operation.deprecated, root }, answers);
    return result instanceof Promise ? result.then(respond) : respond(result);
  };
  if (!operation.body) return run(undefined);
  return readJsonObject(event).then((body) => run(checked(operation.body, body, "body")));
}

/** The handler's answer as a response, compressed for this client; a whole one is kept. */
function answerWith(
  value: unknown,
  event: H3Event,
  options: { deprecated?: boolean | undefined; root: string },
  answers: Answers | undefined,
) {
  const parts = toParts(value, options);
  if ("stream" in parts) return toStreamed(parts, event.req);
  const send = (sent: Parts) => {
    const request = event.runtime?.node?.req as IncomingMessage | undefined;
    if (request) answers?.keep(request, sent, event.context.actor.expiresAt);
    return toResponse(sent, event.req);
  };
  const encoding = encodingOf(parts, event.req.headers.get("accept-encoding"));
  return encoding ? encodeParts(parts, encoding).then(send) : send(parts);
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

/** Also in parameters that nothing asks for, as everywhere (CONTRACT, paths). */
function requireNoNul({ search, searchParams }: H3Event["url"]) {
  if (!search.includes("%00")) return;
  for (const [name, value] of searchParams) {
    if (value.includes("\0"))
      throw invalid({ path: `query.${name}`, message: "must not hold the character NUL" });
  }
}

/** The declared parameters of the query; others are ignored, a repeated one is refused unless a list is asked for. */
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
