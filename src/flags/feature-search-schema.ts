import * as v from "valibot";
import { Tag } from "../events/schema.ts";
import { filter, isDay, lenient, Words } from "../http/criteria-schema.ts";
import { Timestamp } from "../lib/validation.ts";
import { CurrentStage, FeatureEnvironment, Person, ProjectFeature } from "./features-schema.ts";

const { name, type, description, favorite, createdAt, stale, impressionData, lastSeenAt } =
  ProjectFeature.entries;

/** A flag found by a search; `tags` only if it has any (original). */
export const FoundFeature = v.strictObject({
  type,
  description,
  project: v.string(),
  favorite,
  name,
  createdAt,
  stale,
  archivedAt: v.nullable(Timestamp),
  impressionData,
  lastSeenAt,
  /** Whether other flags depend on it, or it depends on others. */
  dependencyType: v.nullable(v.picklist(["parent", "child"])),
  environments: v.array(
    v.strictObject({
      ...FeatureEnvironment.entries,
      yes: v.number(),
      no: v.number(),
      changeRequestIds: v.optional(v.array(v.number())), // only if there are any
    }),
  ),
  segments: v.array(v.string()),
  createdBy: Person,
  lifecycle: v.optional(CurrentStage),
  tags: v.optional(v.array(Tag)),
});
export type FoundFeature = v.InferOutput<typeof FoundFeature>;

/** One page, and the total number of matches. */
export const FoundFeatures = v.strictObject({ features: v.array(FoundFeature), total: v.number() });

/** One of the values, or none of them. */
const Choice = v.optional(filter("IS", "IS_NOT", "IS_ANY_OF", "IS_NONE_OF"));
export type Choice = v.InferOutput<typeof Choice>;

/** Which of the values it has. */
const CountFilter = v.optional(
  filter("INCLUDE", "DO_NOT_INCLUDE", "INCLUDE_ALL_OF", "INCLUDE_ANY_OF", "EXCLUDE_IF_ANY_OF", "EXCLUDE_ALL"),
);
export type CountFilter = v.InferOutput<typeof CountFilter>;

const Tags = v.pipe(
  CountFilter,
  v.check(
    (tags) => tags === undefined || tags.values.every((tag) => /^[^:]+:./s.test(tag)),
    "must be types and values separated by a colon",
  ),
);

const People = v.pipe(
  Choice,
  v.check(
    (ids) => ids === undefined || ids.values.every((id) => /^-?\d{1,15}$/.test(id)),
    "must be ids of users",
  ),
);

/** Before a day, or on or after it; it must exist in the calendar. */
const Day = v.optional(
  v.pipe(
    filter("IS_BEFORE", "IS_ON_OR_AFTER"),
    v.check((day) => day === undefined || isDay(day.values.join()), "must be a day such as 2026-01-31"),
  ),
);
export type Day = v.InferOutput<typeof Day>;

/** `environment:enabled` or `environment:disabled`; anything else is ignored (original). */
const Statuses = v.pipe(
  v.array(v.string()),
  v.transform((texts) =>
    texts.flatMap((text) => {
      const [, environment, status] = /^(.+):(enabled|disabled)$/s.exec(text) ?? [];
      return environment === undefined ? [] : [{ environment, enabled: status === "enabled" }];
    }),
  ),
);

/** The criteria and the order of a search. */
export const FeatureSearch = v.object({
  query: v.pipe(Words, v.description("Any of these words, in the name or the description")),
  project: Choice,
  type: Choice,
  createdBy: People,
  state: Choice,
  lifecycle: Choice,
  tag: Tags,
  segment: CountFilter,
  createdAt: Day,
  lastSeenAt: Day,
  status: v.pipe(Statuses, v.description("Such as production:enabled")),
  archived: v.pipe(v.optional(v.string(), ""), v.description("IS:true finds archived flags instead")),
  favoritesFirst: v.optional(v.string(), ""),
  offset: v.pipe(lenient(0, Number.MAX_SAFE_INTEGER, 0), v.description("How many of the first to skip")),
  limit: lenient(1, 100, 50),
  sortBy: v.optional(v.string(), "createdAt"),
  sortOrder: v.optional(v.picklist(["asc", "desc"]), "asc"),
});
export type FeatureSearch = v.InferOutput<typeof FeatureSearch>;
