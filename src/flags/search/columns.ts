/*
 * Properties that are derived from other tables, as SQL for a row of `features` named `flag`.
 */

/** The stage a flag entered last; of several at the same moment, the latest in a flag's life. */
const stage = (column: string) => `(SELECT ${column} FROM feature_stages WHERE feature = flag.name
  ORDER BY entered_at DESC, CASE stage WHEN 'initial' THEN 1 WHEN 'pre-live' THEN 2 WHEN 'live' THEN 3
    WHEN 'completed' THEN 4 ELSE 5 END DESC LIMIT 1)`;
export const STAGE = stage("stage");
export const STAGE_AS_JSON = stage(`json_patch(json_object('stage', stage, 'enteredStageAt', entered_at),
  json_object('status', status))`); // a patch omits nulls
