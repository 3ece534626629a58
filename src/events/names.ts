import type { Event } from "./schema.ts";
import type { EventType } from "./types.ts";

/** An event before it has words. */
export type Described = Omit<Event, "id" | "label" | "summary">;

/** Those that there are, with a space between. */
export const joinWords = (...words: Array<string | undefined>) => words.filter(Boolean).join(" ");

/** The name of what changed, where the event's data says one. */
export function subjectOf({ data, preData }: Described): string | undefined {
  const state = data ?? preData ?? {};
  const { name, tokenName, username, email, provider, description, appName, message, id, type, value } =
    state;
  if (typeof type === "string" && typeof value === "string") return bold(`${type}:${value}`);
  const names = [name, tokenName, username, email, provider, description, appName, message, id];
  const found = names.find((candidate) => typeof candidate === "string" && candidate !== "");
  if (found !== undefined) return bold(found);
  return state.changeRequestId === undefined ? undefined : bold(`#${state.changeRequestId}`);
}

/** None, or a pattern that stands for any, as tokens have it: there is nothing to name or to link to. */
export const isNothing = (name: string | null) => name === null || /^\**$/.test(name);

export const bold = (name: unknown) => `**${typeof name === "string" ? name : JSON.stringify(name)}**`;

/** What is gone has no page to link to. */
const GONE: ReadonlySet<EventType> = new Set([
  "feature-archived",
  "feature-deleted",
  "project-archived",
  "project-deleted",
]);

export const flag = (event: Described) => `the flag ${flagName(event)}`;

const flagName = ({ type, project, featureName }: Described) =>
  isNothing(project) || GONE.has(type)
    ? bold(featureName)
    : bold(`[${featureName}](/projects/${segment(project!)}/features/${segment(featureName!)})`);

export const project = ({ type, project }: Described) =>
  bold(
    type.startsWith("project-") && GONE.has(type) ? project : `[${project}](/projects/${segment(project!)})`,
  );

/** One segment of a path; a half of a surrogate pair, which has no bytes, becomes U+FFFD. */
const segment = (text: string) => encodeURIComponent(text.toWellFormed());
