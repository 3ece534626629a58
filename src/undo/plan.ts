import type { Actor } from "../access/actor.ts";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { valueQuery } from "../db/statement.ts";
import { LABELS, LINK } from "../events/describe.ts";
import { requireNoApproval } from "../events/needs-approval.ts";
import { type Event, isEventType } from "../events/schema.ts";
import type { Tx } from "../events/write.ts";
import { EVENT_HEADER } from "../http/operation.ts";
import { performIn, requireAllowed, rewording } from "../http/perform.ts";
import { ApiError, found } from "../lib/api-error.ts";
import { requestsFor } from "./opposite-requests.ts";
import { type Change, type KnownEvent, laterChange, oppositesOf } from "./opposites.ts";

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
export const plain = (markdown: string) => markdown.replaceAll(MARKS, "$1");

const MARKS = new RegExp(`\\*\\*|${LINK.source}`, "g");

function refusal({ id, type }: Event, reason: string, later?: Event) {
  const label = isEventType(type) ? LABELS[type] : type;
  return new ApiError("ConflictError", `Event ${id} (${label}) can't be undone: ${reason}`, {
    ...(later && { headers: { [EVENT_HEADER]: String(later.id) } }),
  });
}
