import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { ApiError } from "../../http/error.ts";
import { removeDependencies } from "../dependencies/changes.ts";
import { enterStage } from "../lifecycle/changes.ts";
import type { Feature } from "./schema.ts";

const setArchived = command<{ name: string; archivedAt: string | null }>(`
  UPDATE features SET archived_at = :archivedAt WHERE name = :name`);

const disableEverywhere = command<{ name: string }>(`
  UPDATE feature_environments SET enabled = 0 WHERE feature = :name AND enabled`);

const removeRow = command<{ name: string }>(`DELETE FROM features WHERE name = :name`);

/** Archives a flag that no live one depends on, again where it is archived already (original). */
export function archiveFeature(tx: Tx, feature: Feature) {
  const { project, name } = feature;
  removeDependencies(tx, feature);
  setArchived(tx).run({ name, archivedAt: tx.now });
  enterStage(tx, name, "archived");
  tx.record({ type: "feature-archived", project, featureName: name });
}

/** Takes a flag out of the archive; it is off everywhere then (original). */
export function reviveFeature(tx: Tx, { project, name }: Feature) {
  setArchived(tx).run({ name, archivedAt: null });
  disableEverywhere(tx).run({ name });
  enterStage(tx, name, "initial");
  tx.record({ type: "feature-revived", project, featureName: name });
}

/**
 * Removes an archived flag for good; its events stay.
 * @throws ApiError `ConflictError` for one that is not archived
 */
export function deleteFeature(tx: Tx, feature: Feature) {
  const { project, name } = feature;
  if (!feature.archived)
    throw new ApiError("ConflictError", `The flag ${name} is not archived: archive it first`);
  removeRow(tx).run({ name });
  tx.record({ type: "feature-deleted", project, featureName: name, preData: feature });
}
