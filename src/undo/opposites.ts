import type { Database } from "../db/database.ts";
import { valueQuery } from "../db/statement.ts";
import type { Event, EventType } from "../events/schema.ts";

/** What events change: those of one subject with the same keys are about the same thing. */
interface Subject {
  /** The properties that say which one it is; without them, it is the one of the flag, the environment and the project. */
  keys?: readonly string[];
  /** Types that do the opposite of each other, if what was before and after change places; a single one, of itself. */
  opposites?: ReadonlyArray<readonly [EventType, EventType?]>;
  /** Types whose opposite follows from more than the event, or less, or that have none. */
  others?: readonly EventType[];
}

/** Whatever was done to a flag before is in the past. */
const ENDS: readonly EventType[] = ["feature-project-change", "feature-deleted"];

const SUBJECTS: readonly Subject[] = [
  { opposites: [["feature-environment-enabled", "feature-environment-disabled"]] },
  {
    opposites: [["feature-strategy-add", "feature-strategy-remove"], ["feature-strategy-update"]],
    keys: ["id"],
  },
  { opposites: [["strategy-order-changed"]] },
  { opposites: [["feature-environment-variants-updated"]], others: ["feature-variants-updated"] },
  { opposites: [["feature-metadata-updated"]] },
  { opposites: [["feature-stale-on", "feature-stale-off"]] },
  { others: ["feature-archived", "feature-revived"] },
  { others: ["feature-completed", "feature-uncompleted"] },
  { opposites: [["feature-tagged", "feature-untagged"]], keys: ["type", "value"] },
  { opposites: [["feature-link-added", "feature-link-removed"], ["feature-link-updated"]], keys: ["url"] },
  { others: ["feature-dependency-added", "feature-dependency-removed", "feature-dependencies-removed"] },
  { others: ENDS },
  { opposites: [["feature-type-updated"]], keys: ["id"] },
  { opposites: [["segment-created", "segment-deleted"], ["segment-updated"]], keys: ["id"] },
  {
    opposites: [["context-field-created", "context-field-deleted"], ["context-field-updated"]],
    keys: ["name"],
  },
  {
    opposites: [["strategy-deprecated", "strategy-reactivated"]],
    others: ["strategy-deleted"],
    keys: ["name"],
  },
  { opposites: [["default-strategy-updated"]] },
  { opposites: [["change-request-configuration-updated"]] },
  { opposites: [["project-updated"]] },
  { opposites: [["project-archived", "project-revived"]], others: ["project-created", "project-deleted"] },
  { opposites: [["environment-updated"]], others: ["environment-deleted"], keys: ["name"] },
  { opposites: [["banner-created", "banner-deleted"], ["banner-updated"]], keys: ["id"] },
];

/** The types that do the opposite of each other, both ways. */
const OPPOSITES: ReadonlyMap<EventType, EventType> = new Map(
  SUBJECTS.flatMap(({ opposites = [] }) => opposites).flatMap(([one, other = one]) => [
    [one, other] as const,
    [other, one] as const,
  ]),
);

const typesOf = ({ opposites = [], others = [] }: Subject) => [
  ...opposites.flat().filter((type) => type !== undefined),
  ...others,
];

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

/** Undoing its creation would undo everything else. */
const WHOLE_FLAG: Subject = {
  others: SUBJECTS.flatMap(typesOf).filter((type) => /^(feature|strategy-order)-/.test(type)),
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
export function laterChange(db: Database, event: Event, together: ReadonlySet<number>): Event | undefined {
  const undone = new Set<unknown>(together);
  for (const later of laterEvents(db, event)) {
    const undoes = later.data?.undoes;
    if (undone.has(later.id)) continue;
    if (typeof undoes !== "number" || undoes <= event.id) return later;
    undone.add(undoes);
  }
  return undefined;
}

const subjectOf = ({ type }: Pick<Event, "type">) =>
  SUBJECTS.find((subject) => typesOf(subject).some((one) => one === type)) ?? WHOLE_FLAG;

/** All types of its subject. */
export const typesBeside = (type: EventType): readonly EventType[] => typesOf(subjectOf({ type }));

/** The same for all events about the same thing. */
export function thingOf(event: Event): string {
  const subject = subjectOf(event);
  const { project, featureName, environment } = event;
  return JSON.stringify([
    typesOf(subject)[0],
    project,
    featureName,
    environment,
    subject.keys?.map((key) => stateOf(event)[key]),
  ]);
}

function laterEvents(db: Database, event: Event): Event[] {
  const { id, featureName: feature } = event;
  const subject = subjectOf(event);
  const types = JSON.stringify([...typesOf(subject), ...(feature === null ? [] : ENDS)]);
  const wires =
    feature === null ? laterOfOthers(db).all({ types, id }) : laterOfFlag(db).all({ types, id, feature });
  return wires
    .map((wire): Event => JSON.parse(wire))
    .filter((later) => ENDS.some((type) => type === later.type) || isSame(event, later, subject));
}

/** Whether two events of a subject are about the same thing; one without an environment is about all of them. */
function isSame(event: Event, later: Event, { keys }: Subject) {
  if (keys) return keys.every((key) => stateOf(event)[key] === stateOf(later)[key]);
  return later.project === event.project && [event.environment, null].includes(later.environment);
}

const stateOf = ({ data, preData }: Pick<Event, "data" | "preData">): Record<string, unknown> => ({
  ...preData,
  ...data,
});
