import type { Event } from "../events/schema.ts";
import type { IntegrationEvent } from "../resources/integrations/schema.ts";
import type { Parameters } from "../resources/integrations/secrets.ts";
import type { Post } from "./post.ts";

/** An event as receivers get it: without our words for it (original). */
export type SentEvent = Omit<Event, "label" | "summary">;

/** One event for one integration. */
export interface Job {
  integrationId: number;
  /** With its secrets. */
  parameters: Parameters;
  event: SentEvent;
  /** The channels that are still to be told; undefined for all. */
  remaining: readonly string[] | undefined;
  /** What happened, in Markdown with links; see text.ts. */
  summary: string;
  /** When it is sent, in milliseconds since 1970. */
  now: number;
}

/** How it went. What may pass is tried again. */
export interface Outcome extends Pick<IntegrationEvent, "state" | "stateDetails" | "details"> {
  /** Present where another attempt may go better, for some channels only; the receiver may have asked for some patience. */
  retry?: { askedMs?: number | undefined; remaining?: readonly string[] };
}

/** What a provider may use of the world. */
export interface Outside {
  post: Post;
  /** Where people find this server, for links; empty where nobody has said. */
  publicUrl: string;
  /** Where files are written; undefined where there is no place for them. */
  folder: string | undefined;
  /** The Web API of Slack. */
  slackApi: string;
  /** Aborted when what is under way is broken off. */
  signal: AbortSignal;
}

/** Hands one event to a receiver; throws only where the program is wrong. */
export type Deliver = (job: Job, outside: Outside) => Promise<Outcome>;

/** A parameter as text; empty where it is not set. */
export const textOf = ({ parameters }: Job, name: string): string => String(parameters[name] ?? "");
