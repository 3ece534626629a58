import { renderTemplate } from "../lib/template.ts";
import type { SentEvent } from "./provider.ts";

/*
 * What a message says. Summaries are Markdown with double asterisks for bold and links to paths on this server. Each
 * chat has its own dialect.
 */

const LINK = /\[([^\]]*)\]\(([^)]*)\)/g;

const absolute = (url: string, publicUrl: string) => (url.startsWith("/") ? publicUrl + url : url);

/** For Teams, Datadog and templates: single asterisks for bold, Markdown links (original). */
export const toMarkdown = (summary: string, publicUrl: string) =>
  summary.replaceAll("**", "*").replaceAll(LINK, (_, text, url) => `[${text}](${absolute(url, publicUrl)})`);

/** For Slack, where three characters have a special meaning. */
export const toSlack = (summary: string, publicUrl: string) =>
  summary
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("**", "*")
    .replaceAll(LINK, (_, text, url) => `<${absolute(url, publicUrl)}|${text}>`);

const MAX_SLACK_LENGTH = 3000;

/** Slack rejects longer texts (original). */
export const trimmed = (text: string) =>
  text.length <= MAX_SLACK_LENGTH
    ? text
    : `${text.slice(0, MAX_SLACK_LENGTH)} (trimmed to ${MAX_SLACK_LENGTH} characters)`;

/** The page about the event's subject. */
export function linkTo({ type, project, featureName }: SentEvent, publicUrl: string) {
  if (project === null) return `${publicUrl}/`;
  const path = `${publicUrl}/projects/${encodeURIComponent(project.toWellFormed())}`;
  if (featureName === null) return path;
  return type === "feature-archived"
    ? `${path}/archived`
    : `${path}/features/${encodeURIComponent(featureName.toWellFormed())}`;
}

/**
 * Applies a body template to an event (original): `event`, `eventJson` as a JSON string containing the event's JSON,
 * `eventMarkdown` as a sentence. In a JSON body, values can't break out of the strings they are inserted into.
 * @throws Error that says why the template can't be rendered
 */
export function rendered(template: string, event: SentEvent, eventMarkdown: string, contentType: string) {
  const eventJson = JSON.stringify(JSON.stringify(event));
  const escaped = /json/i.test(contentType) ? withinQuotes : String;
  try {
    return renderTemplate(template, { event, eventJson, eventMarkdown }, escaped);
  } catch (error) {
    throw new Error(`The body template ${(error as Error).message}`);
  }
}

/** Escaped for use inside a JSON string. */
const withinQuotes = (text: string) => JSON.stringify(text).slice(1, -1);
