import type { H3Event } from "h3";
import type { Contract, Operation, Request } from "./operation.ts";
import type { Outcome, Site } from "./perform.ts";
import type { Parts } from "./response.ts";

/*
 * Other requests would wait for a change of many flags, so a server leaves it to a worker process.
 */

/** A change of more flags than this is large. At 0.3 ms for each flag with a hundred members to notify, this takes 15 ms. */
const MAX_FLAGS = 50;

/** A request as another process can handle it. */
export interface ForwardedRequest {
  /** The scheme, host and port that it was sent to. */
  origin: string;
  /** Without the base path; with the query. */
  path: string;
  method: string;
  headers: Array<[string, string]>;
  /** The body, decoded. */
  body: string;
  /** The caller's address, if it is known. */
  address: string | undefined;
}

/** Makes large changes in another process. */
export interface LargeChanges {
  /**
   * Has a request handled there.
   * @returns undefined if no other process can, so that it must be handled here
   * @throws if that process ended before it had replied
   */
  handle(request: ForwardedRequest): Promise<Parts | undefined>;
  /** Ends the other process; whatever is handled from then on is handled here. */
  close(): Promise<void>;
}

/** Whether a request is to be handled in another process. */
export const isLarge = ({ largeChanges }: Site, { changes, sizeOf }: Operation, request: Request<Contract>) =>
  changes && largeChanges !== undefined && sizeOf !== undefined && sizeOf(request as never) > MAX_FLAGS;

/** Handles a request in another process, or here if there is none. @param body decoded */
export async function forward(
  { largeChanges }: Site,
  event: H3Event,
  body: string,
  here: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const { origin, pathname, search } = event.url;
  const { method, headers } = event.req;
  const forwarded = {
    origin,
    path: pathname + search,
    method,
    headers: [...headers].filter(([name]) => !OF_TRANSPORT.includes(name)),
    body,
    address: event.context.address,
  };
  return (await largeChanges!.handle(forwarded)) ?? here();
}

/** Headers about how the body was sent, or how the response may be sent. */
const OF_TRANSPORT = [
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "expect",
  "transfer-encoding",
];
