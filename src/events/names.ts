import type { Event } from "./schema.ts";
import type { EventType } from "./types.ts";

/** An event before its label and summary are written. */
export type Described = Omit<Event, "id" | "type" | "label" | "summary"> & { type: EventType };

/** The defined ones, joined by spaces. */
export const joinWords = (...words: Array<string | undefined>) => words.filter(Boolean).join(" ");

/** The name of what changed, if the event's data has one. */
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

/** No name, or a wildcard as in tokens: there is nothing to name or link to. */
export const isNothing = (name: string | null) => name === null || /^\**$/.test(name);

export const bold = (name: unknown) => `**${typeof name === "string" ? name : JSON.stringify(name)}**`;

/** After these events the subject no longer has a page to link to. */
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

/** One path segment; half a surrogate pair can't be encoded and becomes U+FFFD. */
const segment = (text: string) => encodeURIComponent(text.toWellFormed());
