import type * as v from "valibot";
import type { ServedOperation } from "../surfaces.ts";
import { isLost } from "./connection.ts";
import { signedInAgain } from "./session-end.ts";
import { token } from "./token.ts";

/*
 * The one way to the server: the documented API. What an operation takes and answers is known from its contract.
 */

/** Every operation by method and path, such as `GET /api/admin/projects/:projectId/overview`. */
type ByKey = { [O in ServedOperation as `${O["method"]} ${O["path"]}`]: O };
export type Key = keyof ByKey;
export type ReadKey = Extract<Key, `GET ${string}`>;
export type ChangeKey = Exclude<Key, ReadKey>;

type Params<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Params<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type Value = string | number | boolean | undefined;

type QueryOf<O> = O extends { query: { entries: infer E } }
  ? { query?: { [Name in keyof E]?: Value | readonly string[] } }
  : object;
type BodyOf<O> = O extends { body: infer B extends v.GenericSchema } ? { body: v.InferInput<B> } : object;
type ParamsOf<O> = O extends { path: infer P extends string }
  ? [Params<P>] extends [never]
    ? object
    : { params: Record<Params<P>, string | number> }
  : object;

/** What an operation is asked with. */
export type Input<K extends Key> = InputOf<ByKey[K]> & {
  /** What was read before, of which the change is to be made: somebody else's since then is a 412. */
  ifStill?: object | undefined;
};
/** For each of several by itself, or there would be a type for each combination of their parts. */
type InputOf<O> = O extends unknown ? ParamsOf<O> & QueryOf<O> & BodyOf<O> : never;
/** What it answers. */
export type Output<K extends Key> = v.InferOutput<ByKey[K]["response"]>;

/** The input may be left out where nothing of it is needed. */
export type Given<K extends Key> = object extends Input<K> ? [input?: Input<K>] : [input: Input<K>];

interface AnyInput {
  params?: Record<string, string | number>;
  query?: Record<string, Value | readonly string[]>;
  body?: unknown;
  ifStill?: object | undefined;
}

/** The tag of each answer, which says whether it is still what the server would answer. */
const tags = new WeakMap<object, string>();

/** What the server says of a request that it refuses, or that there is no server: its message is for a person. */
export class RequestError extends Error {
  readonly status: number;
  /** What is wrong where, such as `body.name`. */
  readonly details: ReadonlyArray<{ message?: string; path?: string }>;

  constructor(status: number, message: string, { name = "RequestError", details = [] }: Partial<More> = {}) {
    super(message);
    this.status = status;
    this.name = name;
    this.details = details;
  }
}

/** The API's name for what is wrong, and its parts. */
type More = { [Name in "name" | "details"]: RequestError[Name] | undefined };

/** Where an operation is, from the base of the page. */
export function addressOf(key: string, { params = {}, query = {} }: AnyInput = {}): string {
  const path = key.slice(key.indexOf("/") + 1);
  const filled = path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== undefined && one !== "") search.append(name, String(one));
  return search.size > 0 ? `${filled}?${search}` : filled;
}

/**
 * Asks the server; waits until somebody has signed in where the session has ended, so that nothing typed is lost.
 * @throws RequestError
 */
export const request = ask as Request;

/** An operation by its key, with what it needs. */
type Request = <K extends Key>(key: K, ...given: Given<K>) => Promise<Output<K>>;

/** The same, refused where nobody is signed in. @throws RequestError */
export const requestOnce = askOnce as Request;

async function ask(key: string, input?: AnyInput): Promise<unknown> {
  try {
    return await askOnce(key, input);
  } catch (error) {
    if (!(error instanceof RequestError) || error.name !== "AuthenticationRequired") throw error;
    token.value = undefined;
    await signedInAgain();
    return ask(key, input);
  }
}

async function askOnce(key: string, input?: AnyInput): Promise<unknown> {
  const response = await send(key, input);
  const text = await response.text();
  const body = text === "" ? undefined : toJson(text);
  if (typeof body === "object" && body !== null) tags.set(body, response.headers.get("etag") ?? "*");
  if (response.ok) return body;
  const { name, message = response.statusText, details } = (body ?? {}) as Partial<RequestError>;
  throw new RequestError(response.status, message, { name, details });
}

async function send(key: string, input: AnyInput = {}): Promise<Response> {
  const method = key.split(" ", 1)[0]!;
  const tag = input.ifStill && tags.get(input.ifStill);
  const headers = {
    ...(input.body !== undefined && { "content-type": "application/json" }),
    ...(tag !== undefined && { "if-match": tag }),
    ...(token.value !== undefined && { authorization: token.value }),
  };
  const init: RequestInit = {
    method,
    headers,
    credentials: token.value === undefined ? "same-origin" : "omit",
  };
  if (input.body !== undefined) init.body = JSON.stringify(input.body);
  try {
    const response = await fetch(new URL(addressOf(key, input), document.baseURI), init);
    isLost.value = false;
    return response;
  } catch {
    isLost.value = true;
    throw new RequestError(
      0,
      "The server couldn't be reached. Nothing you typed is lost: try again in a moment.",
    );
  }
}

/** A proxy in between may answer with a page of its own. */
function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: "The server's answer can't be read" };
  }
}
