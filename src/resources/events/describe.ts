import type { Event } from "./schema.ts";
import { EVENT_TYPES, type EventType } from "./types.ts";

type Described = Omit<Event, "id" | "label" | "summary">;

/** The short name and the sentence in Markdown that an event is shown with. */
export const describe = (event: Described) => ({ label: LABELS[event.type], summary: summaryOf(event) });

/** Words of the type as a person says them; longer ones first. */
const WORDS: ReadonlyArray<[RegExp, string]> = [
  [/^addon-config/, "integration configuration"],
  [/^(feature-environment|feature)(?=-variants)/, "flag"],
  [/^feature-environment/, "flag"],
  [/^features\b/, "flags"],
  [/^drop-feature-tags/, "flag tags dropped"],
  [/^feature-tag-import/, "flag tags imported"],
  [/^feature-project-change/, "flag moved to another project"],
  [/^feature-stale-on/, "flag marked as stale"],
  [/^feature-stale-off/, "flag no longer marked as stale"],
  [/^feature-potentially-stale-on/, "flag potentially stale"],
  [/^feature\b/, "flag"],
  [/^drop-(features)/, "flags dropped"],
  [/^drop-(.+)/, "$1 dropped"],
  [/^pat\b/, "personal token"],
  [/^api-token/, "API token"],
  [/^db-pool/, "database pool"],
  [/-add$/, "-added"],
  [/-remove$/, "-removed"],
  [/-update$/, "-updated"],
  [/^client-register/, "client registered"],
  [/-import$/, "-imported"],
  [/-order-changed$/, "-order changed"],
];

function labelOf(type: EventType) {
  const words = WORDS.reduce<string>((text, [pattern, word]) => text.replace(pattern, word), type);
  return words.charAt(0).toUpperCase() + words.slice(1).replaceAll("-", " ");
}

const LABELS = Object.fromEntries(EVENT_TYPES.map((type) => [type, labelOf(type)])) as Record<
  EventType,
  string
>;

/** The same within a sentence. */
const PHRASES = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, LABELS[type].replace(/^(?!API)./, (letter) => letter.toLowerCase())]),
) as Record<EventType, string>;

/** Who did it, what it was called, and where: the flag, the environment, the project. */
function summaryOf(event: Described) {
  const subject = event.featureName === null ? subjectOf(event) : featureLink(event);
  const parts = [
    `**${event.createdBy}**: ${PHRASES[event.type]}`,
    subject && `**${subject}**`,
    event.environment !== null && `in the environment **${event.environment}**`,
    event.project !== null && `in the project **${projectLink(event)}**`,
  ];
  return parts.filter(Boolean).join(" ");
}

/** The name of what changed, where the event's data says one. */
function subjectOf({ data, preData }: Described): string | undefined {
  const state = data ?? preData ?? {};
  const names = [state.name, state.tokenName, state.username, state.email, state.provider, state.description];
  return names.find((name): name is string => typeof name === "string" && name !== "");
}

/** What is gone has no page to link to. */
const GONE: ReadonlySet<EventType> = new Set(["feature-archived", "feature-deleted", "project-deleted"]);

const featureLink = ({ type, project, featureName }: Described) =>
  project === null || GONE.has(type)
    ? featureName
    : `[${featureName}](/projects/${segment(project)}/features/${segment(featureName!)})`;

const projectLink = ({ type, project }: Described) =>
  type === "project-deleted" ? project : `[${project}](/projects/${segment(project!)})`;

/** One segment of a path; a half of a surrogate pair, which has no bytes, becomes U+FFFD. */
const segment = (text: string) => encodeURIComponent(text.toWellFormed());
