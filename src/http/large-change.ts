import type { H3Event } from "h3";
import type { Contract, Operation, Request } from "./operation.ts";
import type { Outcome, Site } from "./perform.ts";
import type { Parts } from "./response.ts";

/*
 * Other requests would wait for a change of many flags, so a server hands it to a second process.
 */

/** A change of more flags than this is large. At 0.3 ms for each flag with a hundred members to notify, this takes 15 ms. */
const MAX_FLAGS = 50;

/** A request as another process can handle it. */
export interface ForwardedRequest {
  /** Without the base path, which has been stripped. */
  url: string;
  method: string;
  headers: Array<[string, string]>;
  /** The body, decoded. */
  body: string;
}

/** Makes large changes in another process. */
export interface LargeChanges {
  /**
   * Has a request handled there.
   * @returns undefined if there is no other process, so that it must be handled here
   * @throws if that process ended before it had replied
   */
  handle(request: ForwardedRequest): Promise<Parts | undefined>;
  /** Ends the other process once it is idle. */
  close(): Promise<void>;
}

/** Whether a request is to be handled in another process. */
export const isLarge = ({ largeChanges }: Site, { changes, sizeOf }: Operation, request: Request<Contract>) =>
  changes && largeChanges !== undefined && sizeOf !== undefined && sizeOf(request as never) > MAX_FLAGS;

/** Handles a request in another process, or here if there is none. @param text the body */
export async function elsewhere(
  { largeChanges }: Site,
  { req: { url, method, headers } }: H3Event,
  text: string,
  here: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const sent = [...headers].filter(([name]) => !OF_TRANSPORT.includes(name));
  return (await largeChanges!.handle({ url, method, headers: sent, body: text })) ?? here();
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
