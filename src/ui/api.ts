import { signal } from "@preact/signals";
import type * as v from "valibot";
import type { ParamName } from "../http/operation.ts";
import type { ServedOperation } from "../server/surfaces.ts";
import { asOf } from "./address.ts";
import { type Follow, fetchFollowed } from "./follow.ts";

/*
 * The page's only way to the server: the documented API. Types are derived from the contracts of its operations.
 */

/** Every operation by method and path, such as `GET /api/admin/projects/:projectId/overview`. */
type ByKey = { [O in ServedOperation as `${O["method"]} ${O["path"]}`]: O };
type Key = keyof ByKey;
export type ReadKey = Extract<Key, `GET ${string}`>;
export type ChangeKey = Exclude<Key, ReadKey>;

type Value = string | number | boolean | undefined;

type QueryOf<O> = O extends { query: { entries: infer E } }
  ? { query?: { [Name in keyof E]?: Value | readonly string[] } }
  : object;
type BodyOf<O> = O extends { body: infer B extends v.GenericSchema }
  ? { body: v.InferInput<B> }
  : O extends { isUpload: true }
    ? { body: Blob }
    : object;
type ParamsOf<O> = O extends { path: infer P extends string }
  ? [ParamName<P>] extends [never]
    ? object
    : { params: Record<ParamName<P>, string | number> }
  : object;

/** The input of an operation. */
export type Input<K extends Key> = InputOf<ByKey[K]> & {
  /** The response that a change is based on; if someone else has changed it since, the request fails with a 412. */
  ifStill?: object | undefined;
  /** Of a request that takes long. */
  follow?: Follow | undefined;
};
/** Distributes over unions of operations; otherwise each combination of their parts would be a type of its own. */
type InputOf<O> = O extends unknown ? ParamsOf<O> & QueryOf<O> & BodyOf<O> : never;
/** The response of an operation. */
export type Output<K extends Key> = v.InferOutput<ByKey[K]["response"]>;

/** The input is optional where nothing in it is required. */
export type Args<K extends Key> = object extends Input<K> ? [input?: Input<K>] : [input: Input<K>];

interface AnyInput {
  params?: Record<string, string | number>;
  query?: Record<string, Value | readonly string[]>;
  body?: unknown;
  ifStill?: object | undefined;
  follow?: Follow | undefined;
  /** Hears of the first event that a change has recorded. */
  onRecorded?(event: number): void;
}

/** The token the user signed in with; kept in memory only, so that a reload forgets it. */
export const token = signal<string | undefined>(undefined);

/** Whether the last attempt to reach the server failed. */
export const isLost = signal(false);

/** The ETag of each response body. */
const etags = new WeakMap<object, string>();

/** A request that was refused, or that didn't reach the server (status 0). Its message is meant for people. */
export class RequestError extends Error {
  readonly status: number;
  /** What is wrong, and where: a path such as `body.name`. */
  readonly details: ReadonlyArray<{ message?: string; path?: string }>;
  /** The id of the event that is in the way. */
  readonly event: number | undefined;

  constructor(
    status: number,
    message: string,
    { name = "RequestError", details = [], event }: Partial<ErrorInfo> = {},
  ) {
    super(message);
    this.status = status;
    this.name = name;
    this.details = details;
    this.event = event;
  }
}

/** The API's name for the error, and what else it says. */
type ErrorInfo = { [Name in "name" | "details" | "event"]: RequestError[Name] | undefined };

/** The time that is shown, RFC 3339, if it is not now: that of the address, or of the server. */
export const shownTime = signal<string | undefined>(undefined);

/** The URL of an operation at the time that is shown, relative to the base of the page. */
export function addressOf(key: string, { params = {}, query = {} }: AnyInput = {}): string {
  const path = key.slice(key.indexOf("/") + 1);
  const filled = path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams();
  if (asOf.value !== "" && path.startsWith("api/admin/")) search.set("at", asOf.value);
  for (const [name, value] of Object.entries(query))
    for (const item of [value].flat())
      if (item !== undefined && item !== "") search.append(name, String(item));
  return search.size > 0 ? `${filled}?${search}` : filled;
}

/**
 * Sends a request. If the session has ended or is a different user's, waits until the user has signed in, so that nothing
 * typed is lost.
 * @throws RequestError
 * @throws Dropped if a different user has signed in instead
 */
export const request = call as Request;

/** Calls an operation by its key. */
type Request = <K extends Key>(key: K, ...args: Args<K>) => Promise<Output<K>>;

/** Like `request`, but waits for no sign-in: for those that sign in, or find out who has. @throws RequestError */
export const requestOnce = callOnce as Request;

/** The same, for an operation that is only known once the page runs. @throws RequestError */
export const requestAny: (key: string, input?: AnyInput) => Promise<unknown> = callOnce;

async function call(key: string, input?: AnyInput): Promise<unknown> {
  const asking = user;
  await released();
  try {
    return await callOnce(key, input);
  } catch (error) {
    if (!(error instanceof RequestError) || error.name !== "AuthenticationRequired") throw error;
    await signedInAgain(asking);
    return call(key, input);
  }
}

async function callOnce(key: string, input?: AnyInput): Promise<unknown> {
  const response = await send(key, input);
  const at = response.headers.get("flagstone-at") ?? undefined;
  if (at !== undefined || asOf.value === "") shownTime.value = at;
  const text = await response.text();
  const body = text === "" ? undefined : toJson(text);
  if (typeof body === "object" && body !== null) etags.set(body, response.headers.get("etag") ?? "*");
  const event = Number(response.headers.get("flagstone-event")) || undefined;
  if (response.ok && event) input?.onRecorded?.(event);
  if (response.ok) return body;
  const { name, message = response.statusText, details, ...rest } = (body ?? {}) as Partial<RequestError>;
  if (name === "AuthenticationRequired") waysIn.value = rest as WaysIn;
  throw new RequestError(response.status, message, { name, details, event });
}

async function send(key: string, input: AnyInput = {}): Promise<Response> {
  const method = key.split(" ", 1)[0]!;
  const tag = input.ifStill && etags.get(input.ifStill);
  const isFile = input.body instanceof Blob;
  const headers = {
    ...(input.body !== undefined && {
      "content-type": isFile ? "application/octet-stream" : "application/json",
    }),
    ...(tag !== undefined && { "if-match": tag }),
    ...(token.value !== undefined && { authorization: token.value }),
  };
  const init: RequestInit = {
    method,
    headers,
    credentials: token.value === undefined ? "same-origin" : "omit",
  };
  if (input.body !== undefined) init.body = isFile ? (input.body as Blob) : JSON.stringify(input.body);
  const url = new URL(addressOf(key, input), document.baseURI);
  try {
    const response = await (input.follow ? fetchFollowed(url, init, input.follow) : fetch(url, init));
    isLost.value = false;
    return response;
  } catch {
    input.follow?.signal.throwIfAborted();
    isLost.value = true;
    throw new RequestError(
      0,
      "The server couldn't be reached. Nothing you typed is lost: try again in a moment.",
    );
  }
}

/** A proxy in between may respond with a page of its own. */
function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: "The server's response couldn't be read" };
  }
}

/** Ways to sign in, as the server tells whoever isn't signed in. */
interface WaysIn {
  /** Whether passwords are switched off. */
  defaultHidden?: boolean;
  options?: ReadonlyArray<{ message: string; path: string }>;
}

export const waysIn = signal<WaysIn>({});

/** Nobody is signed in, or no longer: the page shows the sign-in form, over whatever is open. */
export const isSignInNeeded = signal(false);

let isHeld = false;

/** Holds back requests until the next sign-in: the cookie that they would be sent with may be a different user's. */
export function holdRequests() {
  isHeld = true;
}

/** Why a request isn't sent again: a different user has signed in than the one who made it. */
export class Dropped extends Error {
  override message = "A different user has signed in.";
}

/** The sign-in that requests are waiting for; undefined while none is. */
let awaited: PromiseWithResolvers<void> | undefined;

/** Changes with the user of the page. */
let user = Symbol();

/**
 * Resolves once the user has signed in again.
 * @param asking the user who is waiting
 * @throws Dropped if a different user has signed in
 */
async function signedInAgain(asking: symbol): Promise<void> {
  if (asking !== user) throw new Dropped();
  token.value = undefined;
  isSignInNeeded.value = true;
  await nextSignIn();
}

/** Resolves at once unless requests are held back. @throws Dropped if a different user has signed in */
const released = () => (isHeld ? nextSignIn() : undefined);

const nextSignIn = () => {
  awaited ??= Promise.withResolvers();
  return awaited.promise;
};

/** Resumes whatever is waiting for a sign-in. */
export function resumeWaiting() {
  isHeld = false;
  isSignInNeeded.value = false;
  awaited?.resolve();
  awaited = undefined;
}

/** Drops whatever is waiting for a sign-in, since a different user has signed in. */
export function dropWaiting() {
  user = Symbol();
  awaited?.reject(new Dropped());
  awaited = undefined;
}
