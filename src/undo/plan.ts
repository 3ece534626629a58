import type { Actor } from "../access/actor.ts";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { valueQuery } from "../db/statement.ts";
import { requireNoApproval } from "../events/approval.ts";
import { LABELS } from "../events/describe.ts";
import { type Event, type EventType, isEventType } from "../events/schema.ts";
import type { Tx } from "../events/write.ts";
import { EVENT_HEADER } from "../http/operation.ts";
import { performIn, requireAllowed, rewording } from "../http/perform.ts";
import { ApiError, found } from "../lib/api-error.ts";
import { type Change, type KnownEvent, oppositesOf } from "./opposites.ts";
import { requestsFor } from "./requests.ts";

/** A change that undoes an event, or is one of several that do. */
interface Step {
  event: KnownEvent;
  change: Change;
}

/**
 * How to undo the events of one change.
 * @param together the ids of what is undone along with them
 * @throws ApiError `ConflictError` if that can't be done, or something else has happened since, `NoAccessError` if the
 * actor may not make the opposite change
 */
export function stepsToUndo(
  db: Database,
  actor: Actor,
  events: readonly Event[],
  together = idsOf(events),
): Step[] {
  const undone = events.map(requireKnown).filter((event) => !isPartOfCreation(event, events));
  const steps = undone.toReversed().flatMap((event) => stepsFor(db, event));
  if (steps.length === 0) throw refusal(undone[0]!, "nothing would change");
  for (const step of steps) {
    for (const request of requestsOf(db, step)) requireAllowed(db, actor, request);
    requireNoApproval(db, actor, step.change);
  }
  for (const event of undone) requireUnchanged(db, actor, event, together);
  // Strategies are back before a flag is on, or it would get the default one.
  return steps.toSorted((a, b) => Number(turnsOn(a)) - Number(turnsOn(b)));
}

/**
 * Undoes events by changes that are recorded as what they are: ordinary ones, with the event that each undoes in their
 * `data`.
 * @throws ApiError as `stepsToUndo` does; `ConflictError`, too, if a change is not possible, or nothing would change
 */
export function undo(tx: Tx, events: readonly Event[], together = idsOf(events)) {
  for (const step of stepsToUndo(tx.db, tx.actor, events, together)) perform(tx, step);
  if (tx.recorded.length === 0) throw refusal(events[0]!, "everything is already as it was before");
}

export const idsOf = (events: readonly Event[]): ReadonlySet<number> => new Set(events.map(({ id }) => id));

function perform(tx: Tx, step: Step) {
  const { event } = step;
  const record: Tx["record"] = (change) => {
    if (turnsOn(step) && change.type === "feature-strategy-add")
      throw refusal(event, `no strategy of the flag ${event.featureName} is enabled there any more`);
    tx.record({ ...change, data: { ...change.data, undoes: event.id } });
  };
  for (const { operation, params, body } of requestsOf(tx.db, step))
    rewording(
      () => performIn({ ...tx, record }, operation, params, body),
      (message) => refusal(event, message),
    );
}

const turnsOn = ({ change }: Step) => change.type === "feature-environment-enabled";

const ofOneChange = valueQuery<{ id: number }, string>(`
  WITH first (id) AS (SELECT ifnull(first_id, id) FROM events WHERE id = :id)
  SELECT wire FROM events WHERE id = (SELECT id FROM first)
  UNION ALL
  SELECT * FROM (SELECT wire FROM events WHERE first_id = (SELECT id FROM first) ORDER BY id)`);

/** The events of one change, in order: they are undone together. @throws ApiError `NotFoundError` */
export function eventsWith(db: Database, actor: Actor, id: number): Event[] {
  const events = ofOneChange(db)
    .all({ id })
    .map((wire): Event => JSON.parse(wire));
  const hidden = hiddenProjects(db, actor);
  const isVisible = events.length > 0 && !events.some(({ project }) => hidden.includes(project ?? ""));
  return found(isVisible ? events : undefined, `event ${id}`);
}

function requireKnown(event: Event): KnownEvent {
  if (isEventType(event.type)) return event as KnownEvent;
  throw refusal(event, "this version doesn't know what it did");
}

/** What a flag was created with goes along with it. */
const isPartOfCreation = ({ type, featureName }: Event, events: readonly Event[]) =>
  type !== "feature-created" &&
  featureName !== null &&
  events.some((event) => event.type === "feature-created" && event.featureName === featureName);

function stepsFor(db: Database, event: KnownEvent): Step[] {
  const changes = oppositesOf(db, event);
  if (changes) return changes.map((change) => ({ event, change }));
  throw refusal(event, "no single change does the opposite: change it back by hand");
}

function requestsOf(db: Database, { event, change }: Step) {
  const requests = requestsFor(db, change);
  if (requests) return requests;
  throw refusal(event, "the log doesn't say all of what there was before");
}

/** @throws ApiError `ConflictError` naming the newest event that changed the same thing */
function requireUnchanged(db: Database, actor: Actor, event: KnownEvent, together: ReadonlySet<number>) {
  const later = laterChange(db, event, together);
  if (later === undefined) return;
  const isHidden = hiddenProjects(db, actor).includes(later.project ?? "");
  throw refusal(event, isHidden ? "it has been changed since" : `since then, ${inWords(later)}`, later);
}

const inWords = ({ id, createdAt, createdBy, summary, type }: Event) =>
  `${plain(summary ?? `${createdBy}: ${type}`)} (event ${id}, ${createdAt})`;

/** Markdown without its marks. */
export const plain = (markdown: string) => markdown.replaceAll(/\*\*|\[([^\]]*)\]\([^)]*\)/g, "$1");

function refusal({ id, type }: Event, reason: string, later?: Event) {
  const label = isEventType(type) ? LABELS[type] : type;
  return new ApiError("ConflictError", `Event ${id} (${label}) can't be undone: ${reason}`, {
    ...(later && { headers: { [EVENT_HEADER]: String(later.id) } }),
  });
}

/** Types of events that change the same thing, and the properties that say which one it is. */
interface Subject {
  types: readonly EventType[];
  keys?: readonly string[];
}

/** Whatever was done to a flag before is in the past. */
const ENDS: readonly EventType[] = ["feature-project-change", "feature-deleted"];

/** Without keys, it is the one of the flag, the environment and the project that the event names. */
const SUBJECTS: readonly Subject[] = [
  { types: ["feature-environment-enabled", "feature-environment-disabled"] },
  { types: ["feature-strategy-add", "feature-strategy-update", "feature-strategy-remove"], keys: ["id"] },
  { types: ["strategy-order-changed"] },
  { types: ["feature-environment-variants-updated", "feature-variants-updated"] },
  { types: ["feature-metadata-updated"] },
  { types: ["feature-stale-on", "feature-stale-off"] },
  { types: ["feature-archived", "feature-revived"] },
  { types: ["feature-completed", "feature-uncompleted"] },
  { types: ["feature-tagged", "feature-untagged"], keys: ["type", "value"] },
  { types: ["feature-link-added", "feature-link-updated", "feature-link-removed"], keys: ["url"] },
  { types: ["feature-dependency-added", "feature-dependency-removed", "feature-dependencies-removed"] },
  { types: ENDS },
  { types: ["feature-type-updated"], keys: ["id"] },
  { types: ["segment-created", "segment-updated", "segment-deleted"], keys: ["id"] },
  { types: ["context-field-created", "context-field-updated", "context-field-deleted"], keys: ["name"] },
  { types: ["strategy-deprecated", "strategy-reactivated", "strategy-deleted"], keys: ["name"] },
  { types: ["default-strategy-updated"] },
  { types: ["change-request-configuration-updated"] },
  { types: ["project-updated"] },
  { types: ["project-created", "project-archived", "project-revived", "project-deleted"] },
  { types: ["environment-updated", "environment-deleted"], keys: ["name"] },
  { types: ["banner-created", "banner-updated", "banner-deleted"], keys: ["id"] },
];

/** Undoing its creation would undo everything else. */
const WHOLE_FLAG: Subject = {
  types: SUBJECTS.flatMap(({ types }) => types.filter((type) => /^(feature|strategy-order)-/.test(type))),
  keys: [],
};

const laterOfFlag = valueQuery<{ feature: string; types: string; id: number }, string>(`
  SELECT wire FROM events
  WHERE feature_name = :feature AND type IN (SELECT value FROM json_each(:types)) AND id > :id ORDER BY id DESC`);

const laterOfOthers = valueQuery<{ types: string; id: number }, string>(`
  SELECT wire FROM events
  WHERE type IN (SELECT value FROM json_each(:types)) AND id > :id AND feature_name IS NULL ORDER BY id DESC`);

/**
 * The newest later event that changed the same thing, apart from those that were undone, and from what undid them.
 * @param together the ids of events that are undone along with it
 */
function laterChange(db: Database, event: KnownEvent, together: ReadonlySet<number>): Event | undefined {
  const undone = new Set<unknown>(together);
  for (const later of laterEvents(db, event)) {
    const undoes = later.data?.undoes;
    if (undone.has(later.id)) continue;
    if (typeof undoes !== "number" || undoes <= event.id) return later;
    undone.add(undoes);
  }
  return undefined;
}

const subjectOf = ({ type }: Event) =>
  SUBJECTS.find(({ types }) => types.some((one) => one === type)) ?? WHOLE_FLAG;

/** The same for all events about the same thing. */
export function thingOf(event: Event): string {
  const { types, keys = [] } = subjectOf(event);
  const { project, featureName, environment } = event;
  return JSON.stringify([
    types[0],
    project,
    featureName,
    environment,
    keys.map((key) => stateOf(event)[key]),
  ]);
}

function laterEvents(db: Database, event: KnownEvent): Event[] {
  const { id, featureName: feature } = event;
  const subject = subjectOf(event);
  const types = JSON.stringify(feature === null ? subject.types : [...subject.types, ...ENDS]);
  const wires =
    feature === null ? laterOfOthers(db).all({ types, id }) : laterOfFlag(db).all({ types, id, feature });
  return wires
    .map((wire): Event => JSON.parse(wire))
    .filter((later) => ENDS.some((type) => type === later.type) || isSame(event, later, subject));
}

/** Whether two events of a subject are about the same thing; one without an environment is about all of them. */
function isSame(event: KnownEvent, later: Event, { keys }: Subject) {
  if (keys) return keys.every((key) => stateOf(event)[key] === stateOf(later)[key]);
  return later.project === event.project && [event.environment, null].includes(later.environment);
}

const stateOf = ({ data, preData }: Pick<Event, "data" | "preData">): Record<string, unknown> => ({
  ...preData,
  ...data,
});
