import { isObject } from "../lib/validation.ts";
import { EVENT_TYPES, type Event, type EventType } from "./schema.ts";

/** An event before its label and summary are written. */
type Described = Omit<Event, "id" | "type" | "label" | "summary"> & { type: EventType };

/** The label of an event and its summary in Markdown. */
export const describe = (event: Described) => ({ label: LABELS[event.type], summary: summaryOf(event) });

/** Who did it, to what, and where (environment, project); and which event it undoes, if any. */
function summaryOf(recorded: Described) {
  const { undoes, ...data } = recorded.data ?? {};
  const event = { ...recorded, data: Object.keys(data).length === 0 ? null : data };
  const action = ACTIONS[event.type];
  const did = (action && filled(action, event)) ?? defaultAction(event);
  const undoing = undoes === undefined ? undefined : `(undoing event ${undoes})`;
  return joinWords(bold(event.createdBy), did, ...whereOf(event), undoing);
}

/** An event's data as stored: the log may contain anything, so nothing about it is assumed. */
type State = Readonly<Record<string, unknown>>;

/**
 * What an action did, where that says more than the type's label. Names in braces are of `NAMES`; what is in brackets is
 * left out if its name is missing.
 */
const ACTIONS: Partial<Record<EventType, string>> = {
  "project-user-added": "gave the role {role} to {member}",
  "project-user-removed": "took the role {role} from {member}",
  "project-group-added": "gave the role {role} to {member}",
  "project-group-removed": "took the role {role} from {member}",
  "project-environment-added": "added the environment {environment}",
  "project-environment-removed": "removed the environment {environment}",
  "change-added": "added a change to the change request[ {subject}]",
  "change-edited": "edited a change of the change request[ {subject}]",
  "change-discarded": "discarded a change of the change request[ {subject}]",
  "change-request-approval-added": "added an approval to the change request[ {subject}]",
  "change-request-schedule-suspended": "suspended the scheduled change request[ {subject}]",
  "change-request-configuration-updated": "changed how many must approve changes",
  "change-request-sent-to-review": "sent the change request[ {subject}] to review",
  "change-request-scheduled-application-success": "applied the scheduled change request[ {subject}]",
  "change-request-scheduled-application-failure": "failed to apply the scheduled change request[ {subject}]",
  "client-metrics": "reported metrics",
  "feature-strategy-add": "added the strategy {strategy} to {flag}",
  "feature-strategy-remove": "removed the strategy {strategy} from {flag}",
  "feature-strategy-update": "updated the strategy {strategy} of {flag}[ ({changes})]",
  "strategy-order-changed": "changed the order of the strategies of {flag}",
  "feature-tagged": "tagged {flag} with {tag}",
  "feature-untagged": "removed the tag {tag} from {flag}",
  "feature-project-change": "moved {flag}[ from the project {oldProject}]",
  "feature-stale-on": "marked {flag} as stale",
  "feature-stale-off": "marked {flag} as no longer stale",
  "feature-potentially-stale-on": "marked {flag} as potentially stale",
  "feature-completed": "marked {flag} as completed",
  "feature-uncompleted": "marked {flag} as no longer completed",
  "feature-environment-variants-updated": "updated the variants of {flag}",
  "feature-link-added": "added the link {link} to {flag}",
  "feature-link-updated": "updated the link {link} of {flag}",
  "feature-link-removed": "removed the link {link} from {flag}",
  "feature-dependency-added": "made {flag} depend on {parent}",
  "feature-dependency-removed": "made {flag} no longer depend on {parent}",
};

/** Names from an event and its state after the change, or else before it; undefined if that has none. */
const NAMES: Readonly<Record<string, (event: Described, state: State) => string | undefined>> = {
  flag: (event) => (event.featureName === null ? undefined : flag(event)),
  environment: ({ environment }) => bold(environment),
  subject: (event) => subjectOf(event),
  strategy: ({ preData }, { title, name }) =>
    name === undefined ? undefined : bold(title || preData?.title || name),
  changes: ({ data, preData }) => (data && preData && strategyChanges(preData, data).join("; ")) || undefined,
  tag: (_, { type, value }) => (value === undefined ? undefined : bold(`${type}:${value}`)),
  link: (_, { title, url }) => (url === undefined ? undefined : bold(title || url)),
  oldProject: (_, { oldProject }) => (oldProject === undefined ? undefined : bold(oldProject)),
  parent: (_, { feature }) => (feature === undefined ? undefined : bold(feature)),
  role: (_, { roleName }) => (roleName === undefined ? undefined : bold(roleName)),
  member(_, { email, userId, groupId }) {
    if (email) return bold(email);
    return groupId === undefined ? `the user ${bold(userId)}` : `the group ${bold(groupId)}`;
  },
};

/** Undefined if a name outside brackets is missing. */
function filled(action: string, event: Described): string | undefined {
  const parts = action
    .split(/\[(.+)\]/)
    .map((part, index) => withNames(part, event) ?? (index % 2 === 1 ? "" : undefined));
  return parts.includes(undefined) ? undefined : parts.join("");
}

function withNames(text: string, event: Described): string | undefined {
  const state = event.data ?? event.preData ?? {};
  const words = text
    .split(/\{(\w+)\}/)
    .map((word, index) => (index % 2 === 1 ? NAMES[word]!(event, state) : word));
  return words.includes(undefined) ? undefined : words.join("");
}

function whereOf(event: Described) {
  const { type, environment } = event;
  const isSubject = /^project-(environment|\w+$)/.test(type); // already named as the subject
  return [
    isNothing(environment) || isSubject ? undefined : `in the environment ${bold(environment)}`,
    isNothing(event.project) || /^project-\w+$/.test(type)
      ? undefined
      : `${type === "feature-project-change" ? "to" : "in"} the project ${project(event)}`,
  ];
}

/** From the label: "Segment created" becomes "created the segment". Labels that name no action stay as they are. */
function defaultAction(event: Described) {
  const label = LABELS[event.type].replace(/^(?!API)./, (letter) => letter.toLowerCase());
  const [, noun, verb] = /^(.+) (\w+ed)$/.exec(label) ?? [];
  if (noun === undefined) return joinWords(`(${label})`, subjectOf(event));
  if (noun === "project")
    return joinWords(verb, "the project", isNothing(event.project) ? subjectOf(event) : project(event));
  if (event.featureName === null)
    return joinWords(verb, "the", noun.replace(/^project /, ""), subjectOf(event));
  if (!event.type.startsWith("feature-"))
    return joinWords(verb, "the", noun, subjectOf(event), "for", flag(event));
  const part = noun.replace(/^flag ?/, "");
  return part === "" ? `${verb} ${flag(event)}` : `${verb} the ${part} of ${flag(event)}`;
}

/** The defined ones, joined by spaces. */
const joinWords = (...words: Array<string | undefined>) => words.filter(Boolean).join(" ");

/** The keys of an event's data that may name what changed. */
const NAME_KEYS = "name tokenName username email provider description appName message id".split(" ");

/** The name of what changed, if the event's data has one. */
function subjectOf({ data, preData }: Described): string | undefined {
  const state = data ?? preData ?? {};
  const { type, value, changeRequestId } = state;
  if (typeof type === "string" && typeof value === "string") return bold(`${type}:${value}`);
  const names = NAME_KEYS.map((key) => state[key]);
  const found = names.find((name) => typeof name === "string" && name !== "");
  if (found !== undefined) return bold(found);
  return changeRequestId === undefined ? undefined : bold(`#${changeRequestId}`);
}

/** No name, or a wildcard as in tokens: there is nothing to name or link to. */
const isNothing = (name: string | null) => name === null || /^\**$/.test(name);

const bold = (name: unknown) => `**${typeof name === "string" ? name : JSON.stringify(name)}**`;

/** After these events the subject no longer has a page to link to. */
const GONE: ReadonlySet<EventType> = new Set([
  "feature-archived",
  "feature-deleted",
  "project-archived",
  "project-deleted",
]);

const flag = (event: Described) => `the flag ${flagName(event)}`;

const flagName = ({ type, project, featureName }: Described) =>
  isNothing(project) || GONE.has(type)
    ? bold(featureName)
    : bold(`[${featureName}](/projects/${segment(project!)}/features/${segment(featureName!)})`);

const project = ({ type, project }: Described) =>
  bold(
    type.startsWith("project-") && GONE.has(type) ? project : `[${project}](/projects/${segment(project!)})`,
  );

/** One path segment; half a surrogate pair can't be encoded and becomes U+FFFD. */
const segment = (text: string) => encodeURIComponent(text.toWellFormed());

/** Readable words for parts of types; longer ones first. Some are the original's labels. */
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
  [/^scim\b/, "SCIM"],
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

/** A link in a summary: its words, which may follow a bracket of a name, and its address. */
export const LINK = /\[([^[\]]*)\]\(([^)]*)\)/g;

/** The label of each type of event. */
export const LABELS = Object.fromEntries(EVENT_TYPES.map((type) => [type, labelOf(type)])) as Record<
  EventType,
  string
>;

/** Longer values are truncated, since a summary is one line. In characters. */
const MAX_LENGTH = 100;

/** What an update to a strategy changed, one text per change, such as `rollout from 100% to 25%`. */
const strategyChanges = (before: State, after: State): string[] => [
  ...changed("title", before.title, after.title),
  ...(before.disabled === after.disabled ? [] : [after.disabled === true ? "disabled" : "enabled"]),
  ...parameterChanges(stateOf(before.parameters), stateOf(after.parameters)),
  ...changed(
    "constraints",
    listText(before.constraints, constraintText),
    listText(after.constraints, constraintText),
  ),
  ...changed("segments", listText(before.segments, String), listText(after.segments, String)),
  ...changed("variants", listText(before.variants, variantText), listText(after.variants, variantText)),
];

const parameterChanges = (before: State, after: State) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const unit = name === "rollout" ? "%" : "";
    const withUnit = (value: unknown) => (isEmpty(value) ? value : `${value}${unit}`);
    return changed(name, withUnit(before[name]), withUnit(after[name]));
  });

function changed(name: string, before: unknown, after: unknown): string[] {
  const [old, new_] = [shown(before), shown(after)];
  return old === new_ ? [] : [`${name} from ${old} to ${new_}`];
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === "";

function shown(value: unknown) {
  const text = isEmpty(value) ? "none" : String(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

const stateOf = (value: unknown): State => (isObject(value) ? value : {});

const listText = (value: unknown, shown: (element: unknown) => string) =>
  Array.isArray(value) ? value.map(shown).join(", ") : "";

/** For example `userId not IN 1, 2`. */
function constraintText(constraint: unknown) {
  const { contextName, operator, values, value, inverted } = stateOf(constraint);
  const right = isEmpty(value) ? listText(values, String) : String(value);
  return [contextName, inverted === true && "not", operator, right].filter(Boolean).join(" ");
}

/** A variant's name and its weight in per cent. */
function variantText(variant: unknown) {
  const { name, weight } = stateOf(variant);
  return typeof weight === "number" ? `${name} ${weight / 10}%` : String(name);
}
