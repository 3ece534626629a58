import type { IncomingMessage, ServerResponse } from "node:http";
import { type EventHandler, type H3, type H3Event, HTTPResponse } from "h3";
import { toClaim } from "../auth/claim.ts";
import { requirePermission } from "../auth/require-permission.ts";
import { changesSoFar, type Stamp, stampOf } from "../db/revision.ts";
import type { Database } from "../db/statement.ts";
import { type Reading, watchReads } from "../db/watch.ts";
import type { writeSoon } from "../events/write.ts";
import { check, type Schema } from "../validation.ts";
import { readJson } from "./body.ts";
import { answerPreflight, isPreflight } from "./cors.ts";
import { ApiError, invalid, requireValid } from "./error.ts";
import {
  type Contract,
  type Door,
  METHODS,
  type Operation,
  type Request as OperationRequest,
} from "./operation.ts";
import { encodeParts, encodingOf, type Parts, toParts, toResponse, toStreamed } from "./response.ts";
import type { ResponseCache } from "./response-cache.ts";
import { sendParts } from "./send.ts";

interface Site {
  db: Database;
  /** Goes before the paths that answers name. */
  root: string;
  /** How changes are made. */
  write: typeof writeSoon;
  /** @throws ApiError while changes are refused. */
  requireWritable(db: Database): void;
  /** Where answers to reads are kept. */
  cache?: ResponseCache | undefined;
}

/** Routes every operation. */
export function mount(app: H3, site: Site, operations: readonly Operation[]) {
  const groups = Map.groupBy(operations, (operation) => operation.path);
  for (const [path, own] of groups) {
    const wider = [...groups].filter(([other]) => covers(other, path)).flatMap(([, group]) => group);
    const handlers = [...wider, ...own].map((operation) => [operation.method, handlerOf(site, operation)]);
    route(app, path, Object.fromEntries(handlers));
  }
}

/** Whether a path stands for another one too, such as `/events/:name` for `/events/search`. */
function covers(wide: string, narrow: string) {
  const [wideParts, parts] = [wide.split("/"), narrow.split("/")];
  const isSame = (part: string, index: number) => part === parts[index] || part.startsWith(":");
  return wide !== narrow && wideParts.length === parts.length && wideParts.every(isSame);
}

/** The words of a path that is narrower than the operation's are its parameters too. */
const handlerOf = (site: Site, operation: Operation) => {
  const names = operation.path.split("/");
  return (event: H3Event) => {
    const parts = event.url.pathname.split("/");
    const params = names.flatMap((name, index) =>
      name.startsWith(":") ? [[name.slice(1), parts[index]!]] : [],
    );
    event.context.params = Object.fromEntries(params);
    return answer(site, operation, event);
  };
};

/** Routes a path: HEAD wherever GET is, OPTIONS says which methods there are, and any other is 405. */
export function route(app: H3, path: string, handlers: Partial<Record<Contract["method"], EventHandler>>) {
  const allow = METHODS.filter((method) => handlers[method]).flatMap((method) =>
    method === "GET" ? [method, "HEAD"] : [method],
  );
  for (const method of allow)
    app.on(method as "GET", path, handlers[method === "HEAD" ? "GET" : (method as "GET")]!);
  const headers = { allow: allow.join(", ") };
  app.options(path, (event) =>
    event.context.cors && isPreflight(event)
      ? answerPreflight(event)
      : new HTTPResponse("", { statusText: "OK", headers: { ...headers, "content-length": "0" } }),
  );
  app.all(path, (event) => {
    const message = `${event.req.method} is not possible here, only ${headers.allow}`;
    throw new ApiError("MethodNotAllowedError", message, { headers });
  });
}

/** Waits only where a body is read, something is changed, or an answer is compressed. */
function answer(site: Site, operation: Operation, event: H3Event) {
  const since = changesSoFar();
  const { result, readings } = watchReads(() => perform(site, operation, event));
  const { made, project } = result;
  const isKept = !operation.changes && !operation.isNotKept;
  const stamp = () => stampOf(tablesIn(event, readings), since, project);
  const send = (parts: ReturnType<typeof toParts>): unknown =>
    respond(site, operation, event, parts, isKept ? stamp() : undefined);
  return made instanceof Promise ? made.then(send) : send(made);
}

/** Permission, path, query, body: the first that fails is the answer. */
function perform(site: Site, operation: Operation, event: H3Event) {
  const { db, write } = site;
  const { actor, isSecure, address } = event.context;
  const raw = decodedParams(event);
  const claim = toClaim(db, actor, operation.permission, raw);
  requirePermission(db, actor, claim);
  if (operation.changes && !operation.duringMaintenance) site.requireWritable(db);
  const params = checkedParams(operation, raw);
  requireNoNul(event.url);
  const query = checked(operation.query, operation.query && queryValues(operation.query, event), "query");
  const project = operation.crossesProjects ? undefined : claim.project;
  const run = (body: unknown) => {
    const request = {
      db,
      actor,
      params,
      query,
      body,
      address,
      isSecure,
      headers: event.req.headers,
      searchParams: event.url.searchParams,
      get signal() {
        return event.req.signal; // made only where it is asked for
      },
    } as OperationRequest<Contract>;
    // Once more, for while a body came slowly the permission may have been taken away.
    const door: Door = (change) =>
      write(db, actor, project, (tx) => {
        requirePermission(db, actor, claim);
        return change(tx);
      });
    const result = operation.handle(request, door);
    const make = (value: unknown) =>
      withHeaders(toParts(value, { ...operation, root: site.root }), event.context.cors);
    return result instanceof Promise ? result.then(make) : make(result);
  };
  const made = operation.body
    ? bodyOf(event, operation).then(
        (body) => kept(site, operation, event, body) ?? run(checked(operation.body, body, "body")),
      )
    : run(undefined);
  return { made, project: claim.project };
}

const withHeaders = (parts: ReturnType<typeof toParts>, headers: Record<string, string> | undefined) =>
  headers ? { ...parts, headers: { ...parts.headers, ...headers } } : parts;

/** Nothing at all is an empty object where that may be. */
const bodyOf = (event: H3Event, { body, isBodyOptional }: Operation): Promise<object> =>
  isBodyOptional && !hasBody(event.req) ? Promise.resolve({}) : readJson(event, body!);

const hasBody = ({ headers }: Request) =>
  headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > 0;

/** The answer to the same body, of an operation that only reads. */
function kept({ cache }: Site, { changes, isNotKept }: Operation, event: H3Event, body: object) {
  const request = event.runtime?.node?.req as IncomingMessage | undefined;
  return request && !changes && !isNotKept ? cache?.find(request, JSON.stringify(body)) : undefined;
}

/** What the answer was made of, and by what this caller may have it. */
const tablesIn = ({ context }: H3Event, readings: Iterable<Reading>) =>
  new Set([...context.readings, ...readings].flatMap(({ tables }) => tables));

/**
 * An answer as the response, compressed for this client; a whole one to a read is kept, unless its client has gone, for
 * which a search ends early.
 */
function respond(
  { cache }: Site,
  operation: Operation,
  event: H3Event,
  parts: ReturnType<typeof toParts>,
  stamp: Stamp | undefined,
): unknown {
  if ("stream" in parts) return toStreamed(parts, event.req);
  const node = event.runtime?.node;
  const send = (sent: Parts): unknown => {
    if (!node?.res) return toResponse(sent, event.req, operation);
    const [request, response] = [node.req as IncomingMessage, node.res as ServerResponse];
    if (stamp && !response.destroyed)
      cache?.keep(request, sent, { stamp, until: event.context.actor.expiresAt });
    return sendParts(sent, request, response, operation);
  };
  const encoding = encodingOf(parts, event.req.headers.get("accept-encoding"));
  return encoding ? encodeParts(parts, encoding).then(send) : send(parts);
}

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

const checked = (schema: Schema | undefined, input: unknown, where: string): unknown =>
  schema && requireValid(schema, input, where);
