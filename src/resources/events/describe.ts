import { LABELS } from "./labels.ts";
import type { Event } from "./schema.ts";
import { strategyChanges } from "./strategy-changes.ts";
import type { EventType } from "./types.ts";

type Described = Omit<Event, "id" | "label" | "summary">;

/** The short name and the sentence in Markdown that an event is shown with. */
export const describe = (event: Described) => ({ label: LABELS[event.type], summary: summaryOf(event) });

type Part = (event: Described) => string;

/** What was done to a flag, where more is to be said than the type does. */
const DEEDS: Partial<Record<EventType, Part>> = {
  "feature-strategy-add": (event) => `added the strategy ${strategyOf(event)} to ${flag(event)}`,
  "feature-strategy-remove": (event) => `removed the strategy ${strategyOf(event)} from ${flag(event)}`,
  "feature-strategy-update": (event) =>
    `updated the strategy ${strategyOf(event)} of ${flag(event)}${changesOf(event)}`,
  "strategy-order-changed": (event) => `changed the order of the strategies of ${flag(event)}`,
  "feature-tagged": (event) => `tagged ${flag(event)} with ${tagOf(event)}`,
  "feature-untagged": (event) => `removed the tag ${tagOf(event)} from ${flag(event)}`,
  "feature-project-change": (event) =>
    `moved ${flag(event)}${event.data?.oldProject === undefined ? "" : ` from the project ${bold(event.data.oldProject)}`}`,
  "feature-stale-on": (event) => `marked ${flag(event)} as stale`,
  "feature-stale-off": (event) => `marked ${flag(event)} as no longer stale`,
  "feature-potentially-stale-on": (event) => `marked ${flag(event)} as potentially stale`,
  "feature-completed": (event) => `marked ${flag(event)} as completed`,
  "feature-uncompleted": (event) => `marked ${flag(event)} as no longer completed`,
  "feature-metadata-updated": (event) => `updated the metadata of ${flag(event)}`,
  "feature-variants-updated": (event) => `updated the variants of ${flag(event)}`,
  "feature-environment-variants-updated": (event) => `updated the variants of ${flag(event)}`,
  "feature-dependency-added": (event) => `made ${flag(event)} depend on ${bold(event.data?.feature)}`,
  "feature-dependency-removed": (event) =>
    `made ${flag(event)} no longer depend on ${bold((event.data ?? event.preData)?.feature)}`,
  "feature-dependencies-removed": (event) => `removed the dependencies of ${flag(event)}`,
};

/** Who did it, to what, and where: the environment, the project. */
function summaryOf(event: Described) {
  const { createdBy, environment, type } = event;
  const deed = event.featureName === null ? undefined : DEEDS[type];
  const to = type === "feature-project-change" ? "to" : "in";
  return joinWords(
    bold(createdBy),
    deed ? deed(event) : plainDeed(event),
    isNothing(environment) ? undefined : `in the environment ${bold(environment)}`,
    isNothing(event.project) ? undefined : `${to} the project ${project(event)}`,
  );
}

/** From the label: "Segment created" is "created the segment". What is no deed of anybody is told as it is. */
function plainDeed(event: Described) {
  const label = LABELS[event.type].replace(/^(?!API)./, (letter) => letter.toLowerCase());
  const [, noun, verb] = /^(.+) (\w+ed)$/.exec(label) ?? [];
  const told = noun && verb ? `${verb} the ${noun}` : `(${label})`;
  if (event.featureName === null) return joinWords(told, subjectOf(event));
  const isOfFlag = event.type.startsWith("feature-");
  return isOfFlag ? `${told} ${flagName(event)}` : joinWords(told, subjectOf(event), `for ${flag(event)}`);
}

const joinWords = (...words: Array<string | undefined>) => words.filter(Boolean).join(" ");

/** The name of what changed, where the event's data says one. */
function subjectOf({ data, preData }: Described): string | undefined {
  const state = data ?? preData ?? {};
  const names = [state.name, state.tokenName, state.username, state.email, state.provider, state.description];
  const name = names.find((candidate) => typeof candidate === "string" && candidate !== "");
  if (name !== undefined) return bold(name);
  return state.changeRequestId === undefined ? undefined : bold(`#${state.changeRequestId}`);
}

/** None, or a pattern that stands for any, as tokens have it: there is nothing to name or to link to. */
const isNothing = (name: string | null) => name === null || /^\**$/.test(name);

const bold = (name: unknown) => `**${typeof name === "string" ? name : JSON.stringify(name)}**`;

function strategyOf({ data, preData }: Described) {
  const { title, name } = data ?? preData ?? {};
  return bold(title || preData?.title || name);
}

function changesOf({ data, preData }: Described) {
  const changes = data && preData ? strategyChanges(preData, data) : [];
  return changes.length === 0 ? "" : ` (${changes.join("; ")})`;
}

function tagOf({ data, preData }: Described) {
  const { type, value } = data ?? preData ?? {};
  return bold(`${type}:${value}`);
}

/** What is gone has no page to link to. */
const GONE: ReadonlySet<EventType> = new Set([
  "feature-archived",
  "feature-deleted",
  "project-archived",
  "project-deleted",
]);

const flag: Part = (event) => `the flag ${flagName(event)}`;

const flagName: Part = ({ type, project, featureName }) =>
  isNothing(project) || GONE.has(type)
    ? bold(featureName)
    : bold(`[${featureName}](/projects/${segment(project!)}/features/${segment(featureName!)})`);

const project: Part = ({ type, project }) =>
  bold(
    type.startsWith("project-") && GONE.has(type) ? project : `[${project}](/projects/${segment(project!)})`,
  );

/** One segment of a path; a half of a surrogate pair, which has no bytes, becomes U+FFFD. */
const segment = (text: string) => encodeURIComponent(text.toWellFormed());
