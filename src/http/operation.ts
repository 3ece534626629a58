import type * as v from "valibot";
import type { Actor } from "../auth/actor.ts";
import type { Permission } from "../auth/permission.ts";
import type { Database } from "../db/statement.ts";
import type { Schema } from "../validation.ts";
import type { ErrorName } from "./error.ts";
import type { JsonStream } from "./json-stream.ts";
import type { Wire } from "./raw-json.ts";

/** What an operation promises, as data: `mount` checks each part in this order before the handler runs. */
export interface Contract {
  /** Its name in the API's description, the original's where it has one; no other has it. */
  id: string;
  /** What it does, in the API's description. */
  summary: string;
  /** What it is about, in the API's description. */
  tag: string;
  method: "GET" | "POST";
  /** `:name` stands for one segment of the path. */
  path: `/${string}`;
  /** Needed beside a valid token; null for none. A function decides by the path as it came. */
  permission: Permission | null | ((actor: Actor, params: Record<string, string>) => Permission | null);
  params?: Schema;
  /** A path parameter of the wrong shape can name nothing: 404 instead of 400. */
  wrongParamsAre404?: true;
  /** A list takes a parameter as often as it is given, also as `name[]`. */
  query?: Schema & { entries: Readonly<Record<string, Schema>> };
  body?: Schema;
  /** What a 200 looks like; every response is checked against it in the tests. */
  response: Schema;
  /** What its handler answers with beside what `mount` does. */
  errors?: readonly ErrorName[];
  /** Answered with `Deprecation`. */
  deprecated?: true;
}

type Output<S> = S extends Schema ? v.InferOutput<S> : undefined;

/** What a handler gets: only what its contract has, checked. */
export interface Request<C extends Contract> {
  db: Database;
  actor: Actor;
  params: Output<C["params"]>;
  query: Output<C["query"]>;
  body: Output<C["body"]>;
  /** Aborted when the client has gone: what takes long may stop then. */
  readonly signal: AbortSignal;
}

/** The body of a 200, whole or to be streamed. */
export type Answer<C extends Contract> = Wire<v.InferOutput<C["response"]>> | JsonStream;

type Handler<C extends Contract> = (request: Request<C>) => Answer<C> | Promise<Answer<C>>;

export interface Operation<C extends Contract = Contract> extends Readonly<Contract> {
  // A method, so that operations of any contract can be listed together.
  handle(request: Request<C>): Answer<C> | Promise<Answer<C>>;
}

/** An operation of the API: `operation({ …contract }).run((request) => answer)`. */
export const operation = <const C extends Contract>(contract: C) => ({
  run: (handle: Handler<C>): Operation<C> => ({ ...contract, handle }),
});
