import * as v from "valibot";
import { hiddenProjects } from "../access/visibility.ts";
import { command, query, valueQuery } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import type { Tx } from "../events/write.ts";
import { GET, POST } from "../http/operation.ts";
import { ShortText } from "../lib/validation.ts";
import { EXPIRED } from "../projects/projects-store.ts";
import { CurrentStage, STAGES, type Stage } from "./features-schema.ts";
import { requireFeature } from "./features-store.ts";

/** What became of the feature behind a flag; `statusValue` names the variant that was kept. */
export const Completion = v.object({
  status: v.picklist(["kept", "discarded"]),
  statusValue: v.optional(ShortText),
});

const LIFECYCLE = {
  tag: "Features",
  path: "/api/admin/projects/:projectId/features/:featureName/lifecycle",
  errors: ["NotFoundError"],
} as const;
const CHANGE = {
  ...LIFECYCLE,
  permission: { permission: "UPDATE_FEATURE", project: "projectId" },
} as const;

export const readLifecycle = GET({
  ...LIFECYCLE,
  id: "getFeatureLifecycle",
  summary: "The stages that a flag has been through",
  permission: { project: "projectId" },
  response: v.array(CurrentStage),
}).run(({ db, params: { projectId, featureName } }) => {
  requireFeature(db, projectId, featureName);
  return stagesOf(db)
    .all({ featureName })
    .map(({ status, ...stage }) => ({ ...stage, ...(status !== null && { status }) }));
});

/** How many flags are in each stage. */
export const StageCounts = v.strictObject(byStage(() => v.number()));

export const countStages = GET({
  id: "getFeatureLifecycleStageCount",
  summary: "How many flags are in each stage of their life",
  tag: "Features",
  path: "/api/admin/lifecycle/count",
  permission: null,
  response: StageCounts,
}).run(({ db, actor }) => {
  const rows = inStages(db).all({ hidden: JSON.stringify(hiddenProjects(db, actor)) });
  const counts = new Map(rows.map(({ stage, count }) => [stage, count]));
  return byStage((stage) => counts.get(stage) ?? 0);
});

/** A value for each stage, by its name on the wire. */
export function byStage<T>(ofStage: (stage: Stage) => T) {
  return {
    initial: ofStage("initial"),
    preLive: ofStage("pre-live"),
    live: ofStage("live"),
    completed: ofStage("completed"),
    archived: ofStage("archived"),
  };
}

export const completeFeature = POST({
  ...CHANGE,
  id: "complete",
  summary: "Mark a flag as completed",
  path: `${LIFECYCLE.path}/complete`,
  body: Completion,
  records: ["feature-completed"],
  example: { status: "kept" },
}).change(({ tx, params: { projectId: project, featureName }, body }) => {
  const { name } = requireFeature(tx.db, project, featureName);
  enterStage(tx, name, "completed", body.status);
  const data = { ...body, kept: body.status === "kept" };
  tx.record({ type: "feature-completed", project, featureName: name, data });
});

export const uncompleteFeature = POST({
  ...CHANGE,
  id: "uncomplete",
  summary: "Undo marking a flag as completed",
  path: `${LIFECYCLE.path}/uncomplete`,
  records: ["feature-uncompleted"],
}).change(({ tx, params: { projectId: project, featureName } }) => {
  const { name } = requireFeature(tx.db, project, featureName);
  removeCompleted(tx).run({ name });
  tx.record({ type: "feature-uncompleted", project, featureName: name });
});

/** SQL: the place of a stage in a flag's life. */
const STEP = `CASE stage ${STAGES.map((stage, step) => `WHEN '${stage}' THEN ${step}`).join(" ")} END`;

/** SQL: the order of stages, the last one entered first; of several at the same moment, the latest in a flag's life. */
export const LATEST_FIRST = `entered_at DESC, ${STEP} DESC`;

const inStages = query<{ hidden: string }, { stage: Stage; count: number }>(`
  SELECT stage, count(*) AS count FROM (
    SELECT stage, row_number() OVER (PARTITION BY feature ORDER BY ${LATEST_FIRST}) AS place
    FROM feature_stages JOIN features ON name = feature
    WHERE project NOT IN (SELECT value FROM json_each(:hidden)))
  WHERE place = 1 GROUP BY stage`);

// None if it came from a dataset without them.
const stagesOf = query<{ featureName: string }, Omit<CurrentStage, "status"> & { status: string | null }>(`
  SELECT stage, entered_at AS enteredStageAt, status FROM feature_stages WHERE feature = :featureName
  ORDER BY entered_at, ${STEP}`);

// A flag is live once it is on in production; a completed or archived flag goes no further.
const stagesReached = valueQuery<{ feature: string; environment: string }, Stage>(`
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

// Re-entering a stage keeps the time it was first entered, until the flag's lifecycle restarts.
export const insertStage = command<{
  feature: string;
  stage: Stage;
  enteredAt: string;
  status: string | null;
}>(`
  INSERT INTO feature_stages (feature, stage, entered_at, status) VALUES (:feature, :stage, :enteredAt, :status)
  ON CONFLICT DO NOTHING`);

const removeCompleted = command<{ name: string }>(`
  DELETE FROM feature_stages WHERE feature = :name AND stage = 'completed'`);

const removeAll = command<{ feature: string }>(`DELETE FROM feature_stages WHERE feature = :feature`);

/** Stores that a flag has reached a stage; the first stage restarts its lifecycle. */
export function enterStage(tx: Tx, feature: string, stage: Stage, status: string | null = null) {
  if (stage === "initial") removeAll(tx).run({ feature });
  insertStage(tx).run({ feature, stage, enteredAt: tx.now, status });
}

/** Stores the stages that a flag reaches by being used in an environment; no event is recorded (original). */
export function enterUsageStages(tx: Writing, feature: string, environment: string, now: string) {
  for (const stage of stagesReached(tx.db).all({ feature, environment }))
    insertStage(tx).run({ feature, stage, enteredAt: now, status: null });
}

/*
 * Flags that outlive their type's expected lifetime.
 */

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
