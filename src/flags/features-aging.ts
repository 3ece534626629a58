import { command, query } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { EXPIRED } from "../projects/projects-store.ts";

/** The number of flags per transaction, so that other changes get a turn in between. */
const BATCH_SIZE = 100;

const newlyExpired = query<{ now: string; limit: number }, { name: string; project: string }>(`
  WITH ${EXPIRED}
  SELECT name, project FROM expired
  CROSS JOIN features ON features.type = expired.type AND created_at < expired.before
  WHERE potentially_stale = 0 AND stale = 0 AND archived_at IS NULL
  LIMIT :limit`);

const setPotentiallyStale = command<{ name: string }>(`
  UPDATE features SET potentially_stale = 1 WHERE name = :name`);

// Flags whose type has changed, or whose type's lifetime was extended.
const resetOthers = command<{ now: string }>(`
  WITH ${EXPIRED}
  UPDATE features SET potentially_stale = 0
  WHERE potentially_stale = 1 AND stale = 0 AND archived_at IS NULL
    AND created_at >= ifnull((SELECT before FROM expired WHERE expired.type = features.type), '')`);

/** Resets flags that no longer exceed their lifetime, so that they are recorded again when they do (original). */
export const resetPotentiallyStale = (tx: Tx, now: string) => resetOthers(tx).run({ now });

/**
 * Records an event for some live flags that have outlived their type's expected lifetime, once per flag.
 * @param now RFC 3339
 * @returns whether there may be more
 */
export function recordPotentiallyStale(tx: Tx, now: string): boolean {
  const flags = newlyExpired(tx.db).all({ now, limit: BATCH_SIZE });
  for (const { name, project } of flags) {
    setPotentiallyStale(tx).run({ name });
    tx.record({ type: "feature-potentially-stale-on", project, featureName: name });
  }
  return flags.length === BATCH_SIZE;
}
