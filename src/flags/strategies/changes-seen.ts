import { bookkeeping, command, query } from "../../db/statement.ts";
import type { Writing } from "../../db/transaction.ts";
import { ensureFeatureEnvironment, type FeaturePlace } from "./changes.ts";

type Seen = FeaturePlace & { now: string };

/** The accuracy of the time, in milliseconds (original). */
const ACCURACY_MS = 30_000;

const lastSeen = query<FeaturePlace, { lastSeenAt: string | null }>(`
  SELECT state.last_seen_at AS lastSeenAt
  FROM features
  JOIN project_environments
    ON project_environments.project = features.project AND project_environments.environment = :environment
  LEFT JOIN feature_environments AS state
    ON state.feature = features.name AND state.environment = project_environments.environment
  WHERE features.name = :feature`);

const SET = `UPDATE feature_environments SET last_seen_at = :now
  WHERE feature = :feature AND environment = :environment`;

// The first use invalidates cached responses; later ones don't.
const setFirstSeen = command<Seen>(SET);
const setLastSeen = bookkeeping<Seen>(SET);

/** Updates when a flag was last used, if the flag exists and its project has the environment. */
export function markFeatureSeen(tx: Writing, place: FeaturePlace, now: string) {
  const state = lastSeen(tx.db).get(place);
  if (!state) return;
  if (state.lastSeenAt === null) {
    ensureFeatureEnvironment(tx).run(place);
    setFirstSeen(tx).run({ ...place, now });
  } else if (Date.parse(now) - Date.parse(state.lastSeenAt) >= ACCURACY_MS)
    setLastSeen(tx).run({ ...place, now });
}
