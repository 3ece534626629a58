import { EVENT_TYPES, type EventType } from "./types.ts";

/** Readable words for parts of types; longer ones first. Some are the original's labels (BEHAVIOUR §4). */
const WORDS: ReadonlyArray<[RegExp, string]> = [
  [/^addon-config/, "integration configuration"],
  [/^(feature-environment|feature)(?=-variants)/, "flag"],
  [/^feature-environment/, "flag"],
  [/^features\b/, "flags"],
  [/^drop-feature-tags/, "flag tags dropped"],
  [/^feature-tag-import/, "flag tags imported"],
  [/^feature-project-change/, "flag moved to a new project"],
  [/^feature-completed/, "flag marked as completed"],
  [/^feature-uncompleted/, "flag no longer marked as completed"],
  [/^feature-stale-on/, "flag marked as stale"],
  [/^feature-stale-off/, "flag stale marking removed"],
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

/** The label of each type of event. */
export const LABELS = Object.fromEntries(EVENT_TYPES.map((type) => [type, labelOf(type)])) as Record<
  EventType,
  string
>;
