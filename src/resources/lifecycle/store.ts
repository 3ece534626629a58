import { type Database, query } from "../../db/statement.ts";
import type { CurrentStage } from "./schema.ts";

// In the order in which they were entered; within one moment in that of a flag's life.
const stagesOf = query<{ feature: string }, Omit<CurrentStage, "status"> & { status: string | null }>(`
  SELECT stage, entered_at AS enteredStageAt, status FROM feature_stages WHERE feature = :feature
  ORDER BY entered_at, CASE stage WHEN 'initial' THEN 1 WHEN 'pre-live' THEN 2 WHEN 'live' THEN 3
    WHEN 'completed' THEN 4 ELSE 5 END`);

/** The stages that a flag has been through; none of a flag from a dataset that does not say. */
export const stages = (db: Database, feature: string): CurrentStage[] =>
  stagesOf(db)
    .all({ feature })
    .map(({ status, ...stage }) => ({ ...stage, ...(status !== null && { status }) }));
