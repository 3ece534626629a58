import { command, query } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { EXPIRED } from "../projects/require.ts";

/** Flags that are told of in one transaction; others want to change something too. */
const MOST = 100;

const newlyExpired = query<{ now: string; most: number }, { name: string; project: string }>(`
  WITH ${EXPIRED}
  SELECT name, project FROM expired
  CROSS JOIN features ON features.type = expired.type AND created_at < expired.before
  WHERE potentially_stale = 0 AND stale = 0 AND archived_at IS NULL
  LIMIT :most`);

const setPotentiallyStale = command<{ name: string }>(`
  UPDATE features SET potentially_stale = 1 WHERE name = :name`);

// Of another type than before, or of one that may become older than before.
const resetOthers = command<{ now: string }>(`
  WITH ${EXPIRED}
  UPDATE features SET potentially_stale = 0
  WHERE potentially_stale = 1 AND stale = 0 AND archived_at IS NULL
    AND created_at >= ifnull((SELECT before FROM expired WHERE expired.type = features.type), '')`);

/** What has become younger than it may become is told of again when it is older (original). */
export const resetAge = (tx: Tx, now: string) => resetOthers(tx).run({ now });

/**
 * Tells of some live flags that have become older than their types are expected to, each once.
 * @param now RFC 3339
 * @returns whether there may be more
 */
export function tellOfAge(tx: Tx, now: string): boolean {
  const flags = newlyExpired(tx.db).all({ now, most: MOST });
  for (const { name, project } of flags) {
    setPotentiallyStale(tx).run({ name });
    tx.record({ type: "feature-potentially-stale-on", project, featureName: name });
  }
  return flags.length === MOST;
}
