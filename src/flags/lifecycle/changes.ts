import { command } from "../../db/statement.ts";
import type { Writing } from "../../db/transaction.ts";
import type { Tx } from "../../events/write.ts";
import type { Feature } from "../features/schema.ts";
import type { Completion, Stage } from "./schema.ts";
import { stagesReached } from "./store.ts";

interface StageRow {
  feature: string;
  stage: Stage;
  enteredAt: string;
  status: string | null;
}

// Re-entering a stage keeps the time it was first entered, until the flag's lifecycle restarts.
export const insertStage = command<StageRow>(`
  INSERT INTO feature_stages (feature, stage, entered_at, status) VALUES (:feature, :stage, :enteredAt, :status)
  ON CONFLICT DO NOTHING`);

const removeStage = command<{ feature: string; stage: Stage }>(`
  DELETE FROM feature_stages WHERE feature = :feature AND stage = :stage`);

const removeAll = command<{ feature: string }>(`DELETE FROM feature_stages WHERE feature = :feature`);

/** Stores that a flag has reached a stage; the first stage restarts its lifecycle. */
export function enterStage(tx: Tx, feature: string, stage: Stage, status: string | null = null) {
  if (stage === "initial") removeAll(tx).run({ feature });
  insertStage(tx).run({ feature, stage, enteredAt: tx.now, status });
}

/** Stores the stages that a flag reaches by being used in an environment; no event is recorded (original). */
export function enterUsageStages(tx: Writing, feature: string, environment: string, now: string) {
  for (const stage of stagesReached(tx.db, feature, environment))
    insertStage(tx).run({ feature, stage, enteredAt: now, status: null });
}

/** Marks a flag as completed, with the outcome: whether the feature was kept, and which variant. */
export function completeFeature(tx: Tx, { name, project }: Feature, completion: Completion) {
  const { status } = completion;
  enterStage(tx, name, "completed", status);
  const data = { ...completion, kept: status === "kept" };
  tx.record({ type: "feature-completed", project, featureName: name, data });
}

/** Undoes `completeFeature`. */
export function uncompleteFeature(tx: Tx, { name, project }: Feature) {
  removeStage(tx).run({ feature: name, stage: "completed" });
  tx.record({ type: "feature-uncompleted", project, featureName: name });
}
