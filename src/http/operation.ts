import type { Readable } from "node:stream";
import { addRoute, createRouter, findRoute } from "rou3";
import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import type { Permission } from "../access/permissions.ts";
import type { Need } from "../access/require-permission.ts";
import { type Database, snapshot } from "../db/database.ts";
import type { EventType } from "../events/schema.ts";
import type { Tx } from "../events/write.ts";
import type { ErrorName } from "../lib/api-error.ts";
import type { Wire } from "../lib/raw-json.ts";
import type { Schema } from "../lib/validation.ts";
import type { JsonLines, JsonStream } from "./json-stream.ts";

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** The header that names the first event that a change has recorded, or the one that is in its way. */
export const EVENT_HEADER = "flagstone-event";

/** The response of an operation without a response body. */
export const NoBody = v.void();

/** The response of an operation that returns plain text. */
export const PlainText = v.string();

/** The response of an operation that returns comma-separated values. */
export const Csv = v.string();

/** The response of an operation that tells how far it is: JSON values, each on a line of its own. */
export const LinesOfJson = v.string();

const TEXT_TYPES = new Map<unknown, string>([
  [PlainText, "text/plain"],
  [Csv, "text/csv"],
  [LinesOfJson, "application/x-ndjson"],
]);

/** The media type of a text response; undefined for JSON. */
export const textTypeOf = (response: unknown) => TEXT_TYPES.get(response);

/** What an operation promises, as data: `mount` checks the parts of a request against it before the handler runs. */
export interface Contract {
  /** Its unique name in the API's description: the original's, if it has one. */
  id: string;
  /** What it does, for the API's description. */
  summary: string;
  /** What it is about, for the API's description. */
  tag: string;
  method: (typeof METHODS)[number];
  /** `:name` stands for one segment of the path. */
  path: `/${string}`;
  /** Required in addition to a valid credential of the surface; null for none. */
  permission: Permission | Need | null;
  /** The path's parameters, if they are more than strings. */
  params?: Schema;
  /** A malformed path parameter can't refer to anything: 404 instead of 400. */
  wrongParamsAre404?: true;
  /** A list accepts repeated parameters, also written `name[]`. */
  query?: Schema & { entries: Readonly<Record<string, Schema>> };
  body?: Schema;
  /** Its body is a file of any size, which the handler reads as `upload`. */
  isUpload?: true;
  /** A missing body counts as an empty object. */
  isBodyOptional?: true;
  /** No value of its body is converted to the type that the schema describes (docs/choices.md). */
  isStrict?: true;
  /** Supports `If-None-Match` as a GET does. */
  isConditional?: true;
  /** The status of a successful response; 200 by default. */
  status?: 200 | 201 | 202 | 204 | 410;
  /** The body of success, or the data of each message of a stream; the tests check every response against it. */
  response: Schema;
  /** Makes it available as CSV too, to clients that prefer it: the rows, with identical keys, of a response. */
  rows?: (body: never) => readonly object[];
  /** The event types it may record; the tests check each scenario against them. */
  records?: readonly EventType[];
  /** A body that a person might send, for the API's description; a test sends it. */
  example?: unknown;
  /** The parameters to send with it, of the path or the query, if they are not the usual ones (server/examples.ts). */
  exampleParams?: Readonly<Record<string, string>>;
  /** Errors its handler can throw in addition to those of `mount`. */
  errors?: readonly ErrorName[];
  /** Its responses carry a `Deprecation` header. */
  deprecated?: true;
  /** Allowed in maintenance mode although it changes something. */
  duringMaintenance?: true;
  /** Properties of its response, at any depth, that vary with use, time or caller: `If-Match` ignores them. */
  volatile?: readonly string[];
  /** Not cached: its response is valid only at this moment, or there are too many different ones. */
  isUncached?: true;
  /** Its response includes usage data, which doesn't invalidate the cache: it is cached for seconds only. */
  includesUsage?: true;
  /** A response takes so much memory that only a few are open at once; other requests wait, or get a 429. */
  isHeavy?: true;
}

/** The names of a path's parameters. */
export type ParamName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** Undeclared parameters are strings. */
type Params<C extends Pick<Contract, "path" | "params">> = C["params"] extends Schema
  ? v.InferOutput<C["params"]>
  : Record<ParamName<C["path"]>, string>;

type Output<S> = S extends Schema ? v.InferOutput<S> : undefined;

/** What a handler receives: only what its contract declares, validated. */
export interface Request<C extends Contract> {
  db: Database;
  actor: Actor;
  params: Params<C>;
  query: Output<C["query"]>;
  body: Output<C["body"]>;
  /** The bytes of the body, for an operation that takes a file. */
  readonly upload: Readable;
  readonly headers: Headers;
  /** The whole query, for operations that take arbitrary parameters. */
  readonly searchParams: URLSearchParams;
  /** Where the request came from, as far as this server or a trusted proxy knows; undefined without a socket. */
  readonly address: string | undefined;
  /** The request came over TLS, as far as this server or a trusted proxy knows. */
  readonly isSecure: boolean;
  /** Aborted when the client disconnects, so that slow work can stop. */
  readonly signal: AbortSignal;
}

/** What a changing handler receives: `db` is the transaction's. */
export type ChangeRequest<C extends Contract> = Omit<Request<C>, "signal"> & { tx: Tx };

/** What a streaming handler receives; the actor is resolved anew each time. */
export type StreamRequest<C extends Contract> = Pick<Request<C>, "db" | "actor" | "params" | "query">;

/** The body of a successful response, whole or to be streamed. */
export type HandlerResult<C extends Contract> =
  | Wire<v.InferOutput<C["response"]>>
  | WithHeaders<Wire<v.InferOutput<C["response"]>>>
  | JsonStream
  | JsonLines
  | EventStream;

/** A body with extra headers, such as `Location`, or with a status other than the contract's. */
export class WithHeaders<T> {
  readonly body: T;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number | undefined;

  constructor(body: T, headers: Readonly<Record<string, string>>, status?: number) {
    this.body = body;
    this.headers = headers;
    this.status = status;
  }
}

/** Opens the transaction for a handler's change; resolves once all of it is on disk. */
export type Commit = <T>(body: (tx: Tx) => T) => Promise<T>;

export interface Operation<C extends Contract = Contract> extends Readonly<Contract> {
  /** It may change something, so its responses are never cached. */
  changes: boolean;
  /** Its response continues for as long as the client listens. */
  isStream?: true;
  // A method, so that operations of any contract can be listed together.
  handle(request: Request<C>, commit: Commit): HandlerResult<C> | Promise<HandlerResult<C>>;
}

type Declared<C extends Contract> = Operation<C> & Readonly<C>;

/** What is declared of an operation: its contract without the method; without a response, it has no body. */
type Declaration = Omit<Contract, "method" | "response"> & { response?: Schema };

type Completed<M extends Contract["method"], D extends Declaration> = D & {
  method: M;
  response: D extends { response: infer S extends Schema } ? S : typeof NoBody;
};

/**
 * An operation of the API: `GET({ …contract }).run((request) => body)` if it only reads, all of it on one snapshot, and
 * `POST({ …contract }).change(({ tx, … }) => body)` if it changes something. Slow work that comes before the
 * change, such as hashing a password, goes into a preparation:
 * `POST({ …contract }).prepare(async (request) => …).change(({ tx, prepared, … }) => body)`. A streaming one
 * is called again after every change: `GET({ …contract }).stream((request, since) => batch)`.
 */
export const GET = operationWith("GET");
export const POST = operationWith("POST");
export const PUT = operationWith("PUT");
export const PATCH = operationWith("PATCH");
export const DELETE = operationWith("DELETE");

function operationWith<M extends Contract["method"]>(method: M) {
  return <const D extends Declaration>(declaration: D) =>
    handlersOf<Completed<M, D>>({
      params: stringParams(declaration.path),
      response: NoBody,
      ...declaration,
      method,
    } as never);
}

/** The parameters of a path as strings; undefined if it has none. */
export function stringParams(path: string): Schema | undefined {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  return names.length > 0 ? v.object(v.entriesFromList(names, v.string())) : undefined;
}

const handlersOf = <C extends Contract>(contract: C) => ({
  run: (handle: (request: Request<C>) => HandlerResult<C> | Promise<HandlerResult<C>>): Declared<C> => ({
    ...contract,
    changes: false,
    handle: (request) => snapshot(request.db, () => handle(request)),
  }),
  stream: (
    poll: (request: StreamRequest<C>, since: string | undefined) => MessageBatch<Output<C["response"]>>,
  ): Declared<C> => ({
    ...contract,
    changes: false,
    isStream: true,
    handle: ({ db, params, query }) =>
      new EventStream((actor, since) => poll({ db, actor, params, query }, since)),
  }),
  change: (handle: (request: ChangeRequest<C>) => HandlerResult<C>): Declared<C> => ({
    ...contract,
    changes: true,
    handle: (request, commit) => commit((tx) => handle(Object.assign(request, { tx }))),
  }),
  prepare: <P>(prepare: (request: Request<C>) => Promise<P>) => ({
    change: (handle: (request: ChangeRequest<C> & { prepared: P }) => HandlerResult<C>): Declared<C> => ({
      ...contract,
      changes: true,
      handle: async (request, commit) => {
        const prepared = await prepare(request);
        return commit((tx) => handle(Object.assign(request, { tx, prepared })));
      },
    }),
  }),
});

/** What an operation requires of its caller, in Markdown. */
export function requirement(need: Operation["permission"], isOpen: boolean): string {
  if (isOpen) return "no credential";
  if (need === null) return "any user";
  if (typeof need === "string") return `\`${need}\``;
  const { permission = [], project, feature, segment, isForSdks, unlessOwn }: Need = need;
  const names = [permission].flat().map((name) => `\`${name}\``);
  if (isForSdks) return "an API token";
  if (names.length === 0) return project || feature || segment ? "access to the project" : "any user";
  return `${names.join(" or ")}${unlessOwn ? ", unless it is the caller's own" : ""}`;
}

/** Finds the operation for a method and a path: HEAD matches GET, and literal segments win over parameters. */
export function operationFinder(operations: readonly Operation[], basePath = "") {
  const router = createRouter<Operation>();
  for (const operation of operations)
    addRoute(router, operation.method, basePath + operation.path, operation);
  return (method: string, path: string): Operation | undefined =>
    findRoute(router, method === "HEAD" ? "GET" : method, path)?.data;
}

/*
 * Server-sent events. Messages are queried afresh each time, from a position in a history and with the listener's
 * current permissions, so the position is a listener's only state.
 */

export interface Message<T = unknown> {
  /** What a reconnecting client sends as the last ID it received. */
  id: string;
  /** The event name that clients listen for; `message` if left out. */
  event?: string;
  data: Wire<T>;
}

export interface MessageBatch<T = unknown> {
  messages: ReadonlyArray<Message<T>>;
  /** Where to continue from; in an append-only history a position is never reused. */
  position: string;
  /** There is more to send right away. */
  isMore?: boolean;
}

export class EventStream {
  /** @param since the client's position; undefined for a new one @throws ApiError if the actor may not listen */
  readonly poll: (actor: Actor, since: string | undefined) => MessageBatch;

  constructor(poll: EventStream["poll"]) {
    this.poll = poll;
  }
}
