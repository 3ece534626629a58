import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import { requireVisible } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { query } from "../db/statement.ts";
import type { Event, EventType } from "../events/schema.ts";
import { requirePoint } from "../http/past.ts";
import { invalid } from "../lib/api-error.ts";
import { wholeNumber } from "../lib/validation.ts";
import { isOpposite, type KnownEvent, oppositesOf } from "./opposites.ts";
import { thingOf } from "./plan.ts";

/** What is to be as it was: a flag, everywhere or in an environment; an environment of a project; a segment. */
export const Since = v.object({
  since: v.pipe(v.string(), v.description("A time, or the id of an event: what came after it is undone")),
  project: v.optional(v.string()),
  feature: v.optional(v.string()),
  environment: v.optional(v.string()),
  segment: v.optional(wholeNumber(1)),
});
export type Since = v.InferOutput<typeof Since>;

/**
 * The events since then, in order.
 * @throws ApiError `ValidationError` for a time that is not known, or if it isn't said what is meant
 */
export function eventsSince(db: Database, actor: Actor, { since, segment, ...place }: Since): Event[] {
  const { event: id } = requirePoint(db, since, "since");
  const { project, feature, environment } = place;
  if (project !== undefined) requireVisible(db, actor, project);
  const isPlace = project !== undefined && segment === undefined;
  let wires: string[];
  if (isPlace && feature !== undefined)
    wires = ofFlag(db)
      .pluck()
      .all({ id, project, feature, environment: environment ?? null });
  else if (isPlace && environment !== undefined)
    wires = ofEnvironment(db).pluck().all({ id, project, environment });
  else if (project === undefined && segment !== undefined) wires = ofSegment(db).pluck().all({ id, segment });
  else
    throw invalid({
      path: "project",
      message: "names the project of a flag or an environment, unless a segment is named",
    });
  return wires.map((wire): Event => JSON.parse(wire));
}

const ofFlag = query<{ id: number; project: string; feature: string; environment: string | null }, string>(`
  SELECT wire FROM events
  WHERE feature_name = :feature AND project = :project AND id > :id
    AND (:environment IS NULL OR wire ->> 'environment' = :environment)
  ORDER BY id`);

const ofEnvironment = query<{ id: number; project: string; environment: string }, string>(`
  SELECT wire FROM events
  WHERE wire ->> 'environment' = :environment AND project = :project AND id > :id ORDER BY id`);

const ofSegment = query<{ id: number; segment: number }, string>(`
  SELECT wire FROM events
  WHERE type IN ('segment-created', 'segment-updated', 'segment-deleted') AND id > :id
    AND ifnull(wire ->> '$.data.id', wire ->> '$.preData.id') = :segment
  ORDER BY id`);

/**
 * One event in the place of all about the same thing: from what was before the first to what was after the last. Undone from
 * the last to the first, strategies come before others go, so that the flag stays on.
 */
export function netOf(db: Database, events: readonly Event[]): Event[] {
  const things = [...Map.groupBy(events.map(asMetadata), thingOf).values()];
  return things
    .flatMap(netOfThing)
    .filter((event) => oppositesOf(db, event as KnownEvent)?.length !== 0)
    .toSorted((a, b) => turnOf(a) - turnOf(b) || a.id - b.id);
}

/** Whether a flag is stale is part of its metadata, too, which may have changed it in between. */
function asMetadata(event: Event): Event {
  const stale = event.type === "feature-stale-on";
  if (!stale && event.type !== "feature-stale-off") return event;
  return { ...event, type: "feature-metadata-updated", data: { stale }, preData: { stale: !stale } };
}

const TURNS = ["feature-strategy-add", "", "feature-strategy-remove"];

const turnOf = ({ type }: Event) => (TURNS.includes(type) ? TURNS.indexOf(type) : 1);

function netOfThing(events: readonly Event[]): Event[] {
  const [first, last] = [events[0]!, events.at(-1)!];
  if (isOpposite(first.type as EventType, last.type as EventType)) return [];
  if (BEGINNINGS.test(first.type)) return [first];
  if (first.preData === null) return [{ ...last, id: first.id }];
  const preData = valuesBefore(events);
  return isIn(preData, last.data ?? {}) ? [] : [{ ...last, id: first.id, preData }];
}

/** Of what has ids of its own. */
const BEGINNINGS = /^(feature-created|feature-strategy-add|segment-created)$/;

type Values = Record<string, unknown>;

/** What was before the first event, where one of them has changed it: others may have changed the rest. */
function valuesBefore(events: readonly Event[]): Values {
  const { data, preData } = events.at(-1)!;
  const changed = events.map(({ data, preData }) =>
    Object.entries(preData ?? {}).filter(([key, value]) => data && !isDeepStrictEqual(value, data[key])),
  );
  return { ...(data ?? preData), ...Object.fromEntries(changed.toReversed().flat()) };
}

const isIn = (values: Values, state: Values) =>
  Object.entries(values).every(([key, value]) => isDeepStrictEqual(value, state[key]));
