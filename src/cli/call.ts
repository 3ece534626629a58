import type { IncomingMessage } from "node:http";
import type * as v from "valibot";
import { CLI } from "../access/actor.ts";
import type { Database } from "../db/statement.ts";
import { write } from "../events/write.ts";
import { fromConstraint } from "../http/constraint.ts";
import { checkedBody, checkedParams, checkedQuery } from "../http/incoming.ts";
import { type Contract, type Door, type Operation, type Request, WithHeaders } from "../http/operation.ts";
import { toJson } from "../lib/raw-json.ts";
import { type Connection, reach, refusalOf, textOf } from "./server-url.ts";

interface Input {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

/** Calls an operation of the API. @returns the body of its response */
export type Call = <C extends Contract>(
  operation: Operation<C>,
  input?: Input,
) => Promise<v.InferOutput<C["response"]>>;

/** Calls operations on a data file, as the command line. @throws ApiError */
export const callFile =
  (db: Database): Call =>
  async (operation, input = {}) => {
    const request = {
      db,
      actor: CLI,
      params: checkedParams(operation, input.params ?? {}),
      query: checkedQuery(operation, new URL(pathOf(operation, input), "file:")),
      body: checkedBody(operation, input.body),
      signal: new AbortController().signal,
    };
    const result = await operation.handle(request as Request<never>, doorTo(db));
    const body = result instanceof WithHeaders ? result.body : result;
    return body === undefined ? undefined : JSON.parse(toJson(body));
  };

const doorTo =
  (db: Database): Door =>
  async (change) => {
    try {
      return write(db, CLI, change);
    } catch (error) {
      throw fromConstraint(error) ?? error;
    }
  };

/** Calls operations of a server. @throws Error naming the server */
export const callServer =
  (server: Connection): Call =>
  async (operation, input = {}) => {
    const body = input.body === undefined ? "" : JSON.stringify(input.body);
    const headers = { ...(body !== "" && { "content-type": "application/json" }) };
    const { method } = operation;
    const response = await reach(server, pathOf(operation, input), { method, headers }, body);
    const text = await textOf(response);
    if (!isSuccess(response)) throw new Error(refusalOf(server, response, text));
    return text === "" ? undefined : JSON.parse(text);
  };

const isSuccess = ({ statusCode = 0 }: IncomingMessage) => statusCode >= 200 && statusCode < 300;

/** The path with its parameters and the query. */
const pathOf = ({ path }: Contract, { params = {}, query = {} }: Input) =>
  `${path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ""))}?${new URLSearchParams(query)}`;
