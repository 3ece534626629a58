import * as v from "valibot";
import { Event, EventType } from "../events/schema.ts";
import { filter, isDay, lenient, SearchText } from "../http/criteria-schema.ts";

/** Without `totalEvents` if there are too many matches to count. */
export const EventList = v.strictObject({
  version: v.literal(1),
  events: v.array(Event),
  totalEvents: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
});

/** The same for a flag. */
export const FeatureEventList = v.strictObject({ ...EventList.entries, toggleName: v.string() });

/** The creator of an event; may be a token, or deleted. */
export const EventCreator = v.strictObject({ id: v.number(), name: v.string() });
export type EventCreator = v.InferOutput<typeof EventCreator>;

/** The maximum length of a search text, in characters. */
const MAX_LENGTH = 1000;

/** An empty criterion or null counts as missing (docs/choices.md). */
const Criterion = v.nullish(
  v.pipe(
    v.string(),
    v.maxLength(MAX_LENGTH, `must have ${MAX_LENGTH} characters or fewer`),
    v.transform((text) => text || undefined),
  ),
  "",
);

/** The body of the event search; events must match all criteria. */
export const EventSearch = v.object({
  type: v.optional(
    v.union(
      [
        EventType,
        v.pipe(
          v.literal(""),
          v.transform(() => undefined),
        ),
      ],
      "is not a known event type",
    ),
  ),
  project: Criterion,
  feature: Criterion,
  query: Criterion,
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)), 100),
  offset: v.pipe(
    v.nullish(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
    v.description("The id of the event to start from, newest first; 0 starts at the newest"),
  ),
});

const AnyOf = v.optional(
  v.pipe(
    filter("IS", "IS_ANY_OF"),
    v.transform((found) => found?.values),
  ),
);

const Ids = v.pipe(
  AnyOf,
  v.check((ids) => ids === undefined || ids.every((id) => /^-?\d{1,15}$/.test(id)), "must be ids of users"),
  v.transform((ids) => ids?.map(Number)),
);

const Day = v.optional(
  v.pipe(
    filter("IS"),
    v.transform((found) => found?.values.join()),
    v.check((day) => day === undefined || isDay(day), "must be a day such as IS:2026-01-31"),
  ),
);

/** The criteria, all of which must match; days are whole days. */
export const LogFilter = v.object({
  type: AnyOf,
  project: AnyOf,
  feature: AnyOf,
  createdBy: Ids,
  from: Day,
  to: Day,
  query: SearchText,
});

export const LogSearch = v.object({
  ...LogFilter.entries,
  offset: v.pipe(lenient(0, Number.MAX_SAFE_INTEGER, 0), v.description("How many of the newest to skip")),
  limit: lenient(1, 1000, 50),
});
