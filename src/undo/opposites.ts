import type { Database } from "../db/database.ts";
import { valueQuery } from "../db/statement.ts";
import type { Event, EventType } from "../events/schema.ts";

/** A change, in the words of the event that it records. */
export interface Change extends Pick<Event, "project" | "environment" | "featureName" | "data" | "preData"> {
  type: EventType;
}

export type KnownEvent = Event & { type: EventType };

/** Where what was before and after change places. */
const MIRRORED: ReadonlyArray<readonly [EventType, EventType]> = [
  ["feature-environment-enabled", "feature-environment-disabled"],
  ["feature-strategy-add", "feature-strategy-remove"],
  ["feature-strategy-update", "feature-strategy-update"],
  ["strategy-order-changed", "strategy-order-changed"],
  ["feature-environment-variants-updated", "feature-environment-variants-updated"],
  ["feature-metadata-updated", "feature-metadata-updated"],
  ["feature-stale-on", "feature-stale-off"],
  ["feature-tagged", "feature-untagged"],
  ["feature-link-added", "feature-link-removed"],
  ["feature-link-updated", "feature-link-updated"],
  ["feature-type-updated", "feature-type-updated"],
  ["segment-created", "segment-deleted"],
  ["segment-updated", "segment-updated"],
  ["context-field-created", "context-field-deleted"],
  ["context-field-updated", "context-field-updated"],
  ["strategy-deprecated", "strategy-reactivated"],
  ["default-strategy-updated", "default-strategy-updated"],
  ["project-updated", "project-updated"],
  ["project-archived", "project-revived"],
  ["environment-updated", "environment-updated"],
  ["change-request-configuration-updated", "change-request-configuration-updated"],
  ["banner-created", "banner-deleted"],
  ["banner-updated", "banner-updated"],
];

/** Where more than the event is needed, or less. */
const OTHERS: Partial<Record<EventType, (event: KnownEvent, db: Database) => Change[]>> = {
  "feature-created": (event) => [{ ...event, type: "feature-archived", data: null }],
  "feature-revived": (event) => [{ ...event, type: "feature-archived" }],
  // Archived flags keep where they were on until they are revived.
  "feature-archived": (event, db) => [
    { ...event, type: "feature-revived" },
    ...enabledIn(db)
      .all({ feature: event.featureName! })
      .map((environment): Change => ({ ...event, type: "feature-environment-enabled", environment })),
  ],
  "feature-project-change": ({ data, ...event }) => [
    {
      ...event,
      project: textOf(data?.oldProject),
      data: { oldProject: data?.newProject, newProject: data?.oldProject },
    },
  ],
  "feature-completed": (event) => [{ ...event, type: "feature-uncompleted", data: null }],
  "feature-uncompleted": (event, db) => before(db, event, COMPLETION),
  "feature-dependency-added": (event, db) => {
    const earlier = before(db, event, DEPENDENCY);
    return earlier.length > 0 ? earlier : [{ ...event, type: "feature-dependency-removed" }];
  },
  "feature-dependency-removed": (event, db) => before(db, event, DEPENDENCY),
  "feature-dependencies-removed": (event, db) => before(db, event, DEPENDENCY),
  "project-created": (event) => [{ ...event, type: "project-archived", data: null }],
  // They come with another change, and hurt nobody.
  "tag-created": () => [],
  "features-imported": () => [],
  "change-request-applied": () => [],
  "change-request-scheduled-application-success": () => [],
};

const OPPOSITES = new Map(MIRRORED.flatMap(([one, other]) => [[one, other] as const, [other, one] as const]));

/** Whether one change takes back the other, whatever there was before. */
export const isOpposite = (one: EventType, other: EventType) =>
  one !== other && (OPPOSITES.get(one) === other || [one, other].every((type) => ARCHIVING.includes(type)));

const ARCHIVING: readonly EventType[] = ["feature-archived", "feature-revived"];

/** The changes that undo an event; undefined if no change does. */
export function oppositesOf(db: Database, event: KnownEvent): Change[] | undefined {
  const type = OPPOSITES.get(event.type);
  if (type !== undefined) return [{ ...event, type, data: event.preData, preData: event.data }];
  return OTHERS[event.type]?.(event, db);
}

const textOf = (value: unknown) => (typeof value === "string" ? value : null);

const enabledIn = valueQuery<{ feature: string }, string>(`
  SELECT environment FROM feature_environments WHERE feature = :feature AND enabled ORDER BY environment`);

/** What sets something of a flag whose removal doesn't say what there was, and what removes it. */
const DEPENDENCY = [
  "feature-dependency-added",
  "feature-dependency-removed",
  "feature-dependencies-removed",
] as const;
const COMPLETION = ["feature-completed", "feature-uncompleted"] as const;

const lastBefore = valueQuery<{ feature: string; id: number; types: string }, string>(`
  SELECT wire FROM events
  WHERE feature_name = :feature AND type IN (SELECT value FROM json_each(:types)) AND id < :id
  ORDER BY id DESC LIMIT 1`);

/** What the log says that a flag had: the last change of the types, if it is of the first type. */
function before(db: Database, { id, featureName }: KnownEvent, types: readonly EventType[]): Change[] {
  const wire = lastBefore(db).get({ feature: featureName ?? "", id, types: JSON.stringify(types) });
  const last: KnownEvent | undefined = wire && JSON.parse(wire);
  return last && last.type === types[0] ? [last] : [];
}
