import { LINK } from "../events/describe.ts";
import type { Event } from "../events/schema.ts";
import { renderTemplate } from "../lib/template.ts";
import { MASK } from "../lib/text.ts";
import type { IntegrationEvent, Provider, ProviderParameter } from "./integrations-schema.ts";
import type { Post } from "./post.ts";

/*
 * What a provider consists of, its definition and a function that delivers, and what several have in common.
 */

/** A service that events can be sent to. */
export interface Service {
  definition: Provider;
  /** Sends one event to a receiver; throws only on bugs. */
  deliver(job: Job, outside: Outside): Promise<Outcome>;
}

/** One event for one integration. */
export interface Job {
  integrationId: number;
  /** As text, including secrets; empty ones are left out. */
  parameters: Readonly<Record<string, string>>;
  event: SentEvent;
  /** What `events verify --since` takes: kept elsewhere, it proves the log up to the event. Null if the event has no hash. */
  head: string | null;
  /** The channels still to be notified; undefined for all. */
  remaining: readonly string[] | undefined;
  /** A description in Markdown, with double asterisks for bold and links to paths on this server. */
  summary: string;
  /** The time of sending, in milliseconds since 1970. */
  now: number;
}

/** An event as sent to receivers, without our label and summary (original). */
export type SentEvent = Omit<Event, "label" | "summary">;

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

/** A parameter in a provider's definition: text, neither required nor secret, unless said otherwise. */
export const parameter = (
  name: string,
  displayName: string,
  description: string,
  rest: Partial<ProviderParameter> = {},
): ProviderParameter => ({
  name,
  displayName,
  type: "text",
  description,
  required: false,
  sensitive: false,
  ...rest,
});

export const REQUIRED = { required: true } as const;

/** Never shown, since it gives access to something, such as a URL that accepts requests from anyone. */
export const SECRET = { sensitive: true } as const;

export const REQUIRED_SECRET = { ...REQUIRED, ...SECRET } as const;

export const SECRET_URL = { type: "url", ...REQUIRED_SECRET } as const;

export const HEADERS = parameter(
  "customHeaders",
  "Extra HTTP Headers",
  "Additional headers for each request: a JSON object whose keys and values are text.",
  { type: "textfield", ...SECRET, placeholder: `{\n  "X-Team": "checkout"\n}` },
);

export const TEMPLATE = parameter(
  "bodyTemplate",
  "Body template",
  "A Mustache template for the body. {{event.type}} and the like are replaced with fields of " +
    "the event, {{{eventJson}}} with all of it as a JSON string, {{eventMarkdown}} with a sentence about it.",
  {
    type: "textfield",
    placeholder: `{\n  "what": "{{event.type}}",\n  "flag": "{{event.featureName}}"\n}`,
  },
);

export const failed = (stateDetails: string, details: Outcome["details"] = {}): Outcome => ({
  state: "failed",
  stateDetails,
  details,
});

interface SingleRequest {
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

/**
 * Delivers with a single request, to which the integration's own headers are added.
 * @param what begins the text of the outcome, the original's: for example `Webhook request`
 */
export const posting =
  (what: string, requestFor: (job: Job, publicUrl: string) => SingleRequest): Service["deliver"] =>
  async (job, { post, publicUrl }) => {
    const { url, headers, body, encode, sign, details } = requestFor(job, publicUrl);
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
  };

/** Headers that belong to the connection rather than the message. */
const OF_CONNECTION = /^(connection|content-length|transfer-encoding|upgrade|te|trailer|expect)$/i;

/** The custom headers; none, and a problem, unless they are a JSON object. */
export function customHeaders({ parameters }: Job): { headers: Record<string, string>; problem?: string } {
  const { customHeaders: text = "" } = parameters;
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

const absolute = (url: string, publicUrl: string) => (url.startsWith("/") ? publicUrl + url : url);

/** For Teams, Datadog and templates: single asterisks for bold, Markdown links (original). */
export const toMarkdown = (summary: string, publicUrl: string) =>
  summary.replaceAll("**", "*").replaceAll(LINK, (_, text, url) => `[${text}](${absolute(url, publicUrl)})`);

const MAX_SLACK_LENGTH = 3000;

/** For Slack, where three characters have a special meaning, and longer texts are rejected (original). */
export function toSlack(summary: string, publicUrl: string) {
  const text = summary
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("**", "*")
    .replaceAll(LINK, (_, words, url) => `<${absolute(url, publicUrl)}|${words}>`);
  return text.length <= MAX_SLACK_LENGTH
    ? text
    : `${text.slice(0, MAX_SLACK_LENGTH)} (trimmed to ${MAX_SLACK_LENGTH} characters)`;
}

export function linkTo({ type, project, featureName }: SentEvent, publicUrl: string) {
  if (project === null) return `${publicUrl}/`;
  const path = `${publicUrl}/projects/${encodeURIComponent(project.toWellFormed())}`;
  if (featureName === null) return path;
  return type === "feature-archived"
    ? `${path}/archived`
    : `${path}/features/${encodeURIComponent(featureName.toWellFormed())}`;
}

/**
 * The integration's body template applied to the event (original), or `otherwise` if it has none: `event`, `eventJson`
 * as a JSON string containing the event's JSON, `eventMarkdown` as a sentence. In a JSON body, values can't break out
 * of the strings they are inserted into.
 * @throws Error that says why the template can't be rendered
 */
export function rendered<T>(
  { parameters: { bodyTemplate }, event, summary }: Job,
  publicUrl: string,
  otherwise: T,
  contentType = "application/json",
): string | T {
  if (bodyTemplate === undefined) return otherwise;
  const eventJson = JSON.stringify(JSON.stringify(event));
  const view = { event, eventJson, eventMarkdown: toMarkdown(summary, publicUrl) };
  const escaped = /json/i.test(contentType) ? withinQuotes : String;
  try {
    return renderTemplate(bodyTemplate, view, escaped);
  } catch (error) {
    throw new Error(`The body template ${(error as Error).message}`);
  }
}

/** Escaped for use inside a JSON string. */
const withinQuotes = (text: string) => JSON.stringify(text).slice(1, -1);
