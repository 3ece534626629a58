import type { SentEvent } from "./provider.ts";

/*
 * Summaries are Markdown with two asterisks for bold and links to paths of this server. Each chat wants its own.
 */

const LINK = /\[([^\]]*)\]\(([^)]*)\)/g;

const absolute = (url: string, publicUrl: string) => (url.startsWith("/") ? publicUrl + url : url);

/** For Teams, Datadog and templates: one asterisk for bold, links in Markdown (original). */
export const toMarkdown = (summary: string, publicUrl: string) =>
  summary.replaceAll("**", "*").replaceAll(LINK, (_, text, url) => `[${text}](${absolute(url, publicUrl)})`);

/** Slack's own; three characters are Slack's. */
export const toSlack = (summary: string, publicUrl: string) =>
  summary
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("**", "*")
    .replaceAll(LINK, (_, text, url) => `<${absolute(url, publicUrl)}|${text}>`);

const LONGEST_OF_SLACK = 3000;

/** Slack takes no longer ones (original). */
export const trimmed = (text: string) =>
  text.length <= LONGEST_OF_SLACK
    ? text
    : `${text.slice(0, LONGEST_OF_SLACK)} (trimmed to ${LONGEST_OF_SLACK} characters)`;

/** Where a person finds what the event is about. */
export function linkTo({ type, project, featureName }: SentEvent, publicUrl: string) {
  if (project === null) return `${publicUrl}/`;
  const path = `${publicUrl}/projects/${encodeURIComponent(project.toWellFormed())}`;
  if (featureName === null) return path;
  return type === "feature-archived"
    ? `${path}/archived`
    : `${path}/features/${encodeURIComponent(featureName.toWellFormed())}`;
}
