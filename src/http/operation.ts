import * as v from "valibot";
import type { Actor } from "../auth/actor.ts";
import type { Need } from "../auth/claim.ts";
import type { Permission } from "../auth/permissions.ts";
import type { Database } from "../db/statement.ts";
import type { EventType } from "../events/types.ts";
import type { Tx } from "../events/write.ts";
import type { Schema } from "../validation.ts";
import type { ErrorName } from "./error.ts";
import { EventStream, type Told } from "./event-stream.ts";
import type { JsonStream } from "./json-stream.ts";
import type { Wire } from "./raw-json.ts";

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** The response of an operation that answers without a body. */
export const NoBody = v.void();

/** The response of an operation that answers with a word in plain text. */
export const PlainText = v.string();

/** The response of an operation that answers with a table of comma-separated values. */
export const Csv = v.string();

/** The media type of what is answered as text; undefined for JSON. */
export const textTypeOf = (response: unknown) =>
  response === PlainText ? "text/plain" : response === Csv ? "text/csv" : undefined;

/** What an operation promises, as data: `mount` checks each part in this order before the handler runs. */
export interface Contract {
  /** Its name in the API's description, the original's where it has one; no other has it. */
  id: string;
  /** What it does, in the API's description. */
  summary: string;
  /** What it is about, in the API's description. */
  tag: string;
  method: (typeof METHODS)[number];
  /** `:name` stands for one segment of the path. */
  path: `/${string}`;
  /** Needed beside a valid credential of the surface; null for none. */
  permission: Permission | Need | null;
  params?: Schema;
  /** A path parameter of the wrong shape can name nothing: 404 instead of 400. */
  wrongParamsAre404?: true;
  /** A list takes a parameter as often as it is given, also as `name[]`. */
  query?: Schema & { entries: Readonly<Record<string, Schema>> };
  body?: Schema;
  /** It may be left out, for an empty object. */
  isBodyOptional?: true;
  /** `If-None-Match` holds for it as for a GET. */
  isConditional?: true;
  /** Of success; 200 where nothing is said. */
  status?: 200 | 201 | 202 | 204 | 410;
  /** What success looks like, of a stream the data of its messages; every response is checked against it in the tests. */
  response: Schema;
  /** The types of events that it may record; each scenario of the tests is held to them. */
  records?: readonly EventType[];
  /** What its handler answers with beside what `mount` does. */
  errors?: readonly ErrorName[];
  /** Answered with `Deprecation`. */
  deprecated?: true;
  /** It may change something while changes are refused. */
  duringMaintenance?: true;
  /** Properties of its answer, at any depth, that change by use, by time or with the caller: no `If-Match` is about them. */
  passing?: readonly string[];
  /** Its answer is of this moment, or too many differ: it is not kept. */
  isNotKept?: true;
  /** Its answer tells of use, which makes none old: it is kept for seconds only. */
  tellsOfUse?: true;
  /** Its changes are not all within the project that its permission names. */
  crossesProjects?: true;
}

type Output<S> = S extends Schema ? v.InferOutput<S> : undefined;

/** What a handler gets: only what its contract has, checked. */
export interface Request<C extends Contract> {
  db: Database;
  actor: Actor;
  params: Output<C["params"]>;
  query: Output<C["query"]>;
  body: Output<C["body"]>;
  readonly headers: Headers;
  /** All of the query, for what takes any parameter. */
  readonly searchParams: URLSearchParams;
  /** Where the request came from, as far as this server or a trusted proxy knows; undefined without a socket. */
  readonly address: string | undefined;
  /** The request came by TLS, as far as this server or a trusted proxy knows. */
  readonly isSecure: boolean;
  /** Aborted when the client has gone: what takes long may stop then. */
  readonly signal: AbortSignal;
}

/** What a handler that changes something gets: `db` is the transaction's. */
export type ChangeRequest<C extends Contract> = Omit<Request<C>, "signal"> & { tx: Tx };

/** What a handler that goes on telling gets; the actor is who it is by then. */
export type StreamRequest<C extends Contract> = Pick<Request<C>, "db" | "actor" | "params" | "query">;

/** The body of success, whole or to be streamed. */
export type Answer<C extends Contract> =
  | Wire<v.InferOutput<C["response"]>>
  | WithHeaders<Wire<v.InferOutput<C["response"]>>>
  | JsonStream
  | EventStream;

/** A body that has headers of its own, such as where to find what was made, or another status than success has. */
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

/** Opens the transaction in which a handler changes something; resolves when all of it is on disk. */
export type Door = <T>(body: (tx: Tx) => T) => Promise<T>;

export interface Operation<C extends Contract = Contract> extends Readonly<Contract> {
  /** It may change something, so that no answer of it is kept. */
  changes: boolean;
  /** Its answer goes on for as long as its client listens. */
  isStream?: true;
  // A method, so that operations of any contract can be listed together.
  handle(request: Request<C>, door: Door): Answer<C> | Promise<Answer<C>>;
}

/** An operation whose type still tells all that its contract says, for clients that are written in TypeScript. */
type Declared<C extends Contract> = Operation<C> & Readonly<C>;

/**
 * An operation of the API: `operation({ …contract }).run((request) => answer)` where it only reads, and
 * `operation({ …contract }).change(({ tx, … }) => answer)` where it changes something. What takes long before a change
 * can be made, such as the hash of a password, is prepared:
 * `operation({ …contract }).prepare(async (request) => …).change(({ tx, prepared, … }) => answer)`. One that goes on
 * telling is asked again whenever something was changed: `operation({ …contract }).stream((request, since) => told)`.
 */
export const operation = <const C extends Contract>(contract: C) => ({
  run: (handle: (request: Request<C>) => Answer<C> | Promise<Answer<C>>): Declared<C> => ({
    ...contract,
    changes: false,
    handle,
  }),
  stream: (
    tell: (request: StreamRequest<C>, since: string | undefined) => Told<Output<C["response"]>>,
  ): Declared<C> => ({
    ...contract,
    changes: false,
    isStream: true,
    handle: ({ db, params, query }) =>
      new EventStream((actor, since) => tell({ db, actor, params, query }, since)),
  }),
  change: (handle: (request: ChangeRequest<C>) => Answer<C>): Declared<C> => ({
    ...contract,
    changes: true,
    handle: (request, door) => door((tx) => handle({ ...request, tx })),
  }),
  prepare: <P>(prepare: (request: Request<C>) => Promise<P>) => ({
    change: (handle: (request: ChangeRequest<C> & { prepared: P }) => Answer<C>): Declared<C> => ({
      ...contract,
      changes: true,
      handle: async (request, door) => {
        const prepared = await prepare(request);
        return door((tx) => handle({ ...request, tx, prepared }));
      },
    }),
  }),
});
