import type { SentEvent } from "./provider.ts";

/*
 * Summaries are Markdown with double asterisks for bold and links to paths on this server. Each chat has its own
 * dialect.
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
