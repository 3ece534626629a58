import type { Event } from "../events/schema.ts";
import { MASK } from "../lib/text.ts";
import type { IntegrationEvent, ProviderParameter } from "./integrations-schema.ts";
import type { Post } from "./post.ts";

/*
 * What a provider consists of, its definition and a function that delivers, and what several have in common.
 */

/** Sends one event to a receiver; throws only on bugs. */
export type Deliver = (job: Job, outside: Outside) => Promise<Outcome>;

/** One event for one integration. */
export interface Job {
  integrationId: number;
  /** Including secrets. */
  parameters: Readonly<Record<string, unknown>>;
  event: SentEvent;
  /** The channels still to be notified; undefined for all. */
  remaining: readonly string[] | undefined;
  /** A description in Markdown with links; see message.ts. */
  summary: string;
  /** The time of sending, in milliseconds since 1970. */
  now: number;
}

/** An event as sent to receivers, without our label and summary (original). */
export type SentEvent = Omit<Event, "label" | "summary">;

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

/** A parameter in a provider's definition. */
export const parameter = (
  name: string,
  displayName: string,
  type: ProviderParameter["type"],
  description: string,
  rest: Partial<Pick<ProviderParameter, "required" | "sensitive" | "placeholder">> = {},
): ProviderParameter => ({
  name,
  displayName,
  type,
  description,
  required: false,
  sensitive: false,
  ...rest,
});

export const REQUIRED = { required: true } as const;

/** Never shown, since it gives access to something, such as a URL that accepts requests from anyone. */
export const SECRET = { sensitive: true } as const;

export const REQUIRED_SECRET = { ...REQUIRED, ...SECRET } as const;

export const HEADERS = parameter(
  "customHeaders",
  "Extra HTTP Headers",
  "textfield",
  "Additional headers for each request: a JSON object whose keys and values are text.",
  { ...SECRET, placeholder: `{\n  "X-Team": "checkout"\n}` },
);

export const TEMPLATE = parameter(
  "bodyTemplate",
  "Body template",
  "textfield",
  "A Mustache template for the body. {{event.type}} and the like are replaced with fields of " +
    "the event, {{{eventJson}}} with all of it as a JSON string, {{eventMarkdown}} with a sentence about it.",
  { placeholder: `{\n  "what": "{{event.type}}",\n  "flag": "{{event.featureName}}"\n}` },
);

/** A parameter as text; empty if it is not set. */
export const textOf = ({ parameters }: Job, name: string): string => String(parameters[name] ?? "");

/** The outcome of an attempt that failed and is not to be retried. */
export const failed = (stateDetails: string, details: Outcome["details"] = {}): Outcome => ({
  state: "failed",
  stateDetails,
  details,
});

interface SingleRequest {
  /** For example `Webhook request`. */
  what: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Text, or what becomes JSON. */
  body: string | object;
  /** Compresses the body. */
  encode?: (body: string) => Promise<Buffer>;
  /** Headers that follow from the body; the integration's own can't replace them. */
  sign?: (body: string) => Readonly<Record<string, string>>;
  /** More about the request, for the record. */
  details: Outcome["details"];
}

/** Delivers with a single request, to which the integration's own headers are added. The outcome has the original's text. */
export async function deliverOnce(
  job: Job,
  post: Post,
  { what, url, headers, body, encode, sign, details }: SingleRequest,
): Promise<Outcome> {
  const custom = customHeaders(job);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const all = { ...headers, ...custom.headers, ...sign?.(text) };
  const message = { headers: all, body: encode ? await encode(text) : text };
  const { status, reason, isSuccess, isTransient, requestedMs } = await post(url, message, job.now);
  const words = isSuccess ? "was successful" : "failed";
  const more = reason === undefined ? "" : `\n${reason}`;
  const outcome: Outcome = {
    state: isSuccess ? "success" : "failed",
    stateDetails: `${what} ${words} with status code: ${status}.${more}`,
    details: { ...details, body, ...(typeof status === "number" && { status }) },
    ...(!isSuccess && isTransient && { retry: { requestedMs } }),
  };
  return withProblem(outcome, custom.problem);
}

/** Headers that belong to the connection rather than the message. */
const OF_CONNECTION = /^(connection|content-length|transfer-encoding|upgrade|te|trailer|expect)$/i;

/** The custom headers; none, and a problem, unless they are a JSON object. */
export function customHeaders(job: Job): { headers: Record<string, string>; problem?: string } {
  const text = textOf(job, "customHeaders");
  if (text.trim() === "") return { headers: {} };
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw new SyntaxError();
    const entries = Object.entries(parsed).filter(([name]) => !OF_CONNECTION.test(name));
    return {
      headers: Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)])),
    };
  } catch {
    return { headers: {}, problem: "Could not parse the JSON in the customHeaders parameter." };
  }
}

/** Adds the problem to an outcome (original). */
export const withProblem = (outcome: Outcome, problem: string | undefined): Outcome =>
  problem === undefined
    ? outcome
    : {
        ...outcome,
        state: outcome.state === "success" ? "successWithErrors" : outcome.state,
        stateDetails: `${problem}\n${outcome.stateDetails}`,
      };

/** A URL without its possibly secret parts: with chat services, everything after the host is secret. */
export function maskedUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return MASK;
  return url.pathname === "/" && url.search === "" ? url.origin : `${url.origin}/${MASK}`;
}
