import { isDeepStrictEqual } from "node:util";
import type { Database } from "../db/database.ts";
import { valueQuery } from "../db/statement.ts";
import type { Event } from "../events/schema.ts";
import { findFeature } from "../flags/features-store.ts";
import { strategiesOf } from "../flags/strategies-store.ts";
import { environmentsOf } from "../projects/project-environments.ts";
import { changesIn, type FlagChange } from "./changes.ts";

interface Flag {
  project: string;
  feature: string;
  /** Projects whose events are left out, as JSON. */
  hidden: string;
}

/** Something that a flag has, and whether a change made it what it is. */
interface Part {
  path: string;
  isMadeBy(change: FlagChange): boolean;
}

export interface Blame extends Pick<Event, "id" | "createdAt" | "createdBy" | "createdByUserId"> {
  path: string;
}

/**
 * Who last changed each strategy, each constraint, and whether it is on, in each environment; what no event tells is left
 * out.
 */
export function blameOf(db: Database, flag: Flag): Blame[] {
  let parts = [...partsOf(db, flag)];
  const blame: Blame[] = [];
  for (const wire of newestFirst(db).iterate(flag)) {
    const event: Event = JSON.parse(wire);
    if (parts.length === 0 || event.type === "feature-deleted") break; // what was before is another flag's
    const { id, createdAt, createdBy, createdByUserId } = event;
    const changes = changesIn(event);
    const made = parts.filter(({ isMadeBy }) => changes.some(isMadeBy));
    blame.push(...made.map(({ path }) => ({ path, id, createdAt, createdBy, createdByUserId })));
    parts = parts.filter((part) => !made.includes(part));
  }
  return blame;
}

// Only what changes a part, or ends the flag: there may be thousands of others, which are not even read.
const newestFirst = valueQuery<Flag, string>(`
  SELECT wire FROM events
  WHERE feature_name = :feature AND ifnull(project, '') NOT IN (SELECT value FROM json_each(:hidden))
    AND type IN ('feature-environment-enabled', 'feature-environment-disabled', 'feature-strategy-add',
      'feature-strategy-update', 'feature-strategy-remove', 'feature-deleted')
  ORDER BY id DESC`);

/** None of a flag that isn't in the project any more. */
function* partsOf(db: Database, { project, feature }: Flag): Generator<Part> {
  if (findFeature(db, feature)?.project !== project) return;
  for (const environment of environmentsOf(db, project)) {
    const at = `environments.${environment}`;
    yield { path: `${at}.enabled`, isMadeBy: ({ path }) => path === `${at}.enabled` };
    for (const { id, constraints } of strategiesOf(db, { feature, environment })) {
      const own = `${at}.strategies.${id}`;
      yield { path: own, isMadeBy: ({ path }) => path === own || path.startsWith(`${own}.`) };
      for (const [index, constraint] of constraints.entries())
        yield { path: `${own}.constraints.${index}`, isMadeBy: adds(own, constraint) };
    }
  }
}

/** On its own, or with its strategy. */
const adds =
  (strategy: string, constraint: unknown): Part["isMadeBy"] =>
  ({ path, to }) => {
    if (path === `${strategy}.constraints`) return isDeepStrictEqual(to, constraint);
    const { constraints = [] } = (path === strategy ? (to ?? {}) : {}) as { constraints?: unknown[] };
    return constraints.some((one) => isDeepStrictEqual(one, constraint));
  };
