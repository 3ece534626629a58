import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import { requireVisible } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { valueQuery } from "../db/statement.ts";
import type { Event, EventType } from "../events/schema.ts";
import { isDay } from "../http/criteria-schema.ts";
import { invalid } from "../lib/api-error.ts";
import { Time, wholeNumber } from "../lib/validation.ts";
import { requireProject } from "../projects/projects-store.ts";
import { isOpposite, type KnownEvent, oppositesOf, thingOf, typesBeside } from "./opposites.ts";

/** In UTC, a date is its first moment. */
const TimeOrDate = v.pipe(
  v.string(),
  v.transform((text) => (isDay(text) ? `${text}T00:00:00Z` : text)),
  Time,
);

/** What is to be as it was: a flag, everywhere or in an environment; an environment of a project; a segment. */
export const Since = v.object({
  since: v.pipe(
    v.union(
      [wholeNumber(0), TimeOrDate],
      "must be a time such as 2026-03-01T14:05:00Z, or the id of an event",
    ),
    v.description("A time, or the id of an event: what came after it is undone"),
  ),
  project: v.optional(v.string()),
  feature: v.optional(v.string()),
  environment: v.optional(v.string()),
  segment: v.optional(wholeNumber(1)),
});
export type Since = v.InferOutput<typeof Since>;

/**
 * The events since then, in order.
 * @throws ApiError `ValidationError` unless it is said what is meant, `NotFoundError` for an unknown project
 */
export function eventsSince(db: Database, actor: Actor, { since, segment, ...place }: Since): Event[] {
  const after = typeof since === "number" ? { id: lastWith(db, since), time: "" } : { id: 0, time: since };
  const { project, feature, environment } = place;
  if (project !== undefined) {
    requireProject(db, project);
    requireVisible(db, actor, project);
  }
  const isPlace = project !== undefined && segment === undefined;
  let wires: string[];
  if (isPlace && feature !== undefined)
    wires = ofFlag(db).all({ ...after, project, feature, environment: environment ?? null });
  else if (isPlace && environment !== undefined)
    wires = ofEnvironment(db).all({ ...after, project, environment });
  else if (project === undefined && segment !== undefined)
    wires = ofSegment(db).all({ ...after, segment, types: JSON.stringify(typesBeside("segment-created")) });
  else
    throw invalid({
      path: "project",
      message: "names the project of a flag or an environment, unless a segment is named",
    });
  if (wires.length > MOST) throw invalid({ path: "since", message: TOO_MANY });
  return wires.map((wire): Event => JSON.parse(wire));
}

/** Others wait for as long as they are undone. */
const MOST = 1000;

const TOO_MANY = `more than ${MOST} events came after it: name a later one, or undo them flag by flag`;

/** Several events of one change are over with the last of them. */
const lastWith = (db: Database, id: number) => lastOfChange(db).get({ id })!;

const lastOfChange = valueQuery<{ id: number }, number>(`
  SELECT max(:id, ifnull(max(id), 0)) FROM events
  WHERE first_id = (SELECT ifnull(first_id, id) FROM events WHERE id = :id)`);

interface After {
  id: number;
  /** RFC 3339, in UTC; empty if it is the id that counts. */
  time: string;
}

const ofFlag = valueQuery<After & { project: string; feature: string; environment: string | null }, string>(`
  SELECT wire FROM events
  WHERE feature_name = :feature AND project = :project AND id > :id AND wire ->> 'createdAt' > :time
    AND (:environment IS NULL OR wire ->> 'environment' = :environment)
  ORDER BY id LIMIT ${MOST + 1}`);

const ofEnvironment = valueQuery<After & { project: string; environment: string }, string>(`
  SELECT wire FROM events
  WHERE wire ->> 'environment' = :environment AND project = :project AND id > :id
    AND wire ->> 'createdAt' > :time
  ORDER BY id LIMIT ${MOST + 1}`);

const ofSegment = valueQuery<After & { segment: number; types: string }, string>(`
  SELECT wire FROM events
  WHERE type IN (SELECT value FROM json_each(:types)) AND id > :id AND wire ->> 'createdAt' > :time
    AND ifnull(wire ->> '$.data.id', wire ->> '$.preData.id') = :segment
  ORDER BY id LIMIT ${MOST + 1}`);

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
