import * as v from "valibot";
import { Event, EventType } from "../../events/schema.ts";

/** `totalEvents` is left out where it would have to be guessed. */
export const EventList = v.strictObject({
  version: v.literal(1),
  events: v.array(Event),
  totalEvents: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
});

/** The same of a flag. */
export const FeatureEventList = v.strictObject({ ...EventList.entries, toggleName: v.string() });

/** Someone who has made an event; may be a token, or gone. */
export const EventCreator = v.strictObject({ id: v.number(), name: v.string() });
export type EventCreator = v.InferOutput<typeof EventCreator>;

/** Longer texts are refused: looking for one would hold all others. In characters. */
const LONGEST = 1000;

/** An empty criterion, or null, counts as not given (CONTRACT, event search). */
const Criterion = v.nullish(
  v.pipe(
    v.string(),
    v.maxLength(LONGEST, `must have ${LONGEST} characters or fewer`),
    v.transform((text) => text || undefined),
  ),
  "",
);

/** The body of the event search; all criteria hold together. */
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
  // The id to start from, newest first; 0 starts at the newest.
  offset: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
});
export type EventSearch = v.InferOutput<typeof EventSearch>;
