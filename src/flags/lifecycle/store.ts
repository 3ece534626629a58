import type { Database } from "../../db/database.ts";
import { query } from "../../db/statement.ts";
import type { CurrentStage, Stage } from "./schema.ts";

// In the order they were entered; stages entered at the same moment are in the order of STAGES.
const stagesOf = query<{ feature: string }, Omit<CurrentStage, "status"> & { status: string | null }>(`
  SELECT stage, entered_at AS enteredStageAt, status FROM feature_stages WHERE feature = :feature
  ORDER BY entered_at, CASE stage WHEN 'initial' THEN 1 WHEN 'pre-live' THEN 2 WHEN 'live' THEN 3
    WHEN 'completed' THEN 4 ELSE 5 END`);

// A flag is live once it is on in production; a completed or archived flag goes no further.
const nextStages = query<{ feature: string; environment: string }, Stage>(`
  SELECT stage
  FROM features
  JOIN environments ON environments.name = :environment AND environments.enabled
  CROSS JOIN (SELECT 1 AS step, 'pre-live' AS stage UNION ALL SELECT 2, 'live') AS next
  LEFT JOIN feature_environments AS state
    ON state.feature = features.name AND state.environment = environments.name
  WHERE features.name = :feature AND archived_at IS NULL
    AND (stage = 'pre-live' OR (environments.type = 'production' AND state.enabled))
    AND NOT EXISTS (
      SELECT 1 FROM feature_stages
      WHERE feature_stages.feature = features.name AND feature_stages.stage IN (next.stage, 'completed'))
  ORDER BY step`);

/** The stages that a flag reaches by being used in an environment, in order; usually none. */
export const stagesReached = (db: Database, feature: string, environment: string): Stage[] =>
  nextStages(db).pluck().all({ feature, environment });

/** The stages that a flag has been through; none if it came from a dataset without them. */
export const stages = (db: Database, feature: string): CurrentStage[] =>
  stagesOf(db)
    .all({ feature })
    .map(({ status, ...stage }) => ({ ...stage, ...(status !== null && { status }) }));
