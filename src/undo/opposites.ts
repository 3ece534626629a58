import type { Database } from "../db/database.ts";
import { valueQuery } from "../db/statement.ts";
import type { Event, EventType } from "../events/schema.ts";
import { OPPOSITES } from "./subjects.ts";

/** A change, in the words of the event that it records. */
export interface Change extends Pick<Event, "project" | "environment" | "featureName" | "data" | "preData"> {
  type: EventType;
}

export type KnownEvent = Event & { type: EventType };

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
