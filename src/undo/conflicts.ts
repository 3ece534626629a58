import type { Database } from "../db/database.ts";
import { query } from "../db/statement.ts";
import type { Event, EventType } from "../events/schema.ts";
import type { KnownEvent } from "./opposites.ts";

/** Types of events that change the same thing, and the properties that say which one it is. */
interface Subject {
  types: readonly EventType[];
  keys?: readonly string[];
}

/** Whatever was done to a flag before is in the past. */
const ENDS: readonly EventType[] = ["feature-project-change", "feature-deleted"];

/** Without keys, it is the one of the flag, the environment and the project that the event names. */
const SUBJECTS: readonly Subject[] = [
  { types: ["feature-environment-enabled", "feature-environment-disabled"] },
  { types: ["feature-strategy-add", "feature-strategy-update", "feature-strategy-remove"], keys: ["id"] },
  { types: ["strategy-order-changed"] },
  { types: ["feature-environment-variants-updated", "feature-variants-updated"] },
  { types: ["feature-metadata-updated"] },
  { types: ["feature-stale-on", "feature-stale-off"] },
  { types: ["feature-archived", "feature-revived"] },
  { types: ["feature-completed", "feature-uncompleted"] },
  { types: ["feature-tagged", "feature-untagged"], keys: ["type", "value"] },
  { types: ["feature-link-added", "feature-link-updated", "feature-link-removed"], keys: ["url"] },
  { types: ["feature-dependency-added", "feature-dependency-removed", "feature-dependencies-removed"] },
  { types: ENDS },
  { types: ["feature-type-updated"], keys: ["id"] },
  { types: ["segment-created", "segment-updated", "segment-deleted"], keys: ["id"] },
  { types: ["context-field-created", "context-field-updated", "context-field-deleted"], keys: ["name"] },
  { types: ["strategy-deprecated", "strategy-reactivated", "strategy-deleted"], keys: ["name"] },
  { types: ["default-strategy-updated"] },
  { types: ["change-request-configuration-updated"] },
  { types: ["project-updated"] },
  { types: ["project-created", "project-archived", "project-revived", "project-deleted"] },
  { types: ["environment-updated", "environment-deleted"], keys: ["name"] },
  { types: ["banner-created", "banner-updated", "banner-deleted"], keys: ["id"] },
];

/** Undoing its creation would undo everything else. */
const WHOLE_FLAG: Subject = {
  types: SUBJECTS.flatMap(({ types }) => types.filter((type) => /^(feature|strategy-order)-/.test(type))),
  keys: [],
};

const laterOfFlag = query<{ feature: string; types: string; id: number }, string>(`
  SELECT wire FROM events
  WHERE feature_name = :feature AND type IN (SELECT value FROM json_each(:types)) AND id > :id ORDER BY id DESC`);

const laterOfOthers = query<{ types: string; id: number }, string>(`
  SELECT wire FROM events
  WHERE type IN (SELECT value FROM json_each(:types)) AND id > :id AND feature_name IS NULL ORDER BY id DESC`);

/**
 * The newest later event that changed the same thing, apart from those that were undone, and from what undid them.
 * @param together the ids of events that are undone along with it
 */
export function laterChange(
  db: Database,
  event: KnownEvent,
  together: ReadonlySet<number>,
): Event | undefined {
  const undone = new Set<unknown>(together);
  for (const later of laterEvents(db, event)) {
    const undoes = later.data?.undoes;
    if (undone.has(later.id)) continue;
    if (typeof undoes !== "number" || undoes <= event.id) return later;
    undone.add(undoes);
  }
  return undefined;
}

function laterEvents(db: Database, event: KnownEvent): Event[] {
  const { id, featureName: feature } = event;
  const subject = SUBJECTS.find(({ types }) => types.includes(event.type)) ?? WHOLE_FLAG;
  const types = JSON.stringify(feature === null ? subject.types : [...subject.types, ...ENDS]);
  const wires =
    feature === null
      ? laterOfOthers(db).pluck().all({ types, id })
      : laterOfFlag(db).pluck().all({ types, id, feature });
  return wires
    .map((wire): Event => JSON.parse(wire))
    .filter((later) => ENDS.some((type) => type === later.type) || isSame(event, later, subject));
}

/** Whether two events of a subject are about the same thing; one without an environment is about all of them. */
function isSame(event: KnownEvent, later: Event, { keys }: Subject) {
  if (keys) return keys.every((key) => stateOf(event)[key] === stateOf(later)[key]);
  return later.project === event.project && [event.environment, null].includes(later.environment);
}

const stateOf = ({ data, preData }: Pick<Event, "data" | "preData">): Record<string, unknown> => ({
  ...preData,
  ...data,
});
