import type { Event } from "../../events/schema.ts";
import type { IntegrationEvent } from "../schema.ts";
import type { Parameters } from "../secrets.ts";
import type { Post } from "./post.ts";

/** An event as sent to receivers, without our label and summary (original). */
export type SentEvent = Omit<Event, "label" | "summary">;

/** One event for one integration. */
export interface Job {
  integrationId: number;
  /** Including secrets. */
  parameters: Parameters;
  event: SentEvent;
  /** The channels still to be notified; undefined for all. */
  remaining: readonly string[] | undefined;
  /** A description in Markdown with links; see text.ts. */
  summary: string;
  /** The time of sending, in milliseconds since 1970. */
  now: number;
}

/** The result of an attempt. */
export interface Outcome extends Pick<IntegrationEvent, "state" | "stateDetails" | "details"> {
  /** Present if a retry may succeed, possibly only for some channels; the receiver may have requested a wait. */
  retry?: { requestedMs?: number | undefined; remaining?: readonly string[] };
}

/** What providers may use of the outside world. */
export interface Outside {
  post: Post;
  /** The server's public URL, for links; empty if not configured. */
  publicUrl: string;
  /** The folder for files; undefined if there is none. */
  folder: string | undefined;
  /** The URL of the Slack Web API. */
  slackApi: string;
  /** Aborted to interrupt the request in progress. */
  signal: AbortSignal;
}

/** Sends one event to a receiver; throws only on bugs. */
export type Deliver = (job: Job, outside: Outside) => Promise<Outcome>;

/** The outcome of an attempt that failed and is not to be retried. */
export const failed = (stateDetails: string, details: Outcome["details"] = {}): Outcome => ({
  state: "failed",
  stateDetails,
  details,
});

/** A parameter as text; empty if it is not set. */
export const textOf = ({ parameters }: Job, name: string): string => String(parameters[name] ?? "");
