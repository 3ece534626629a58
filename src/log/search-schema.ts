import * as v from "valibot";
import { Event } from "../events/schema.ts";
import { filter, isDay, lenient, SearchText } from "../http/criteria-schema.ts";

/** One page, newest first, and the total number of matches. */
export const FoundEvents = v.strictObject({ events: v.array(Event), total: v.number() });

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
export const LogSearch = v.object({
  type: AnyOf,
  project: AnyOf,
  feature: AnyOf,
  createdBy: Ids,
  from: Day,
  to: Day,
  query: SearchText,
  offset: v.pipe(lenient(0, Number.MAX_SAFE_INTEGER, 0), v.description("How many of the newest to skip")),
  limit: lenient(1, 1000, 50),
});
export type LogSearch = v.InferOutput<typeof LogSearch>;
