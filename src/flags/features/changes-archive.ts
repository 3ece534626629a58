import { command, query } from "../../db/statement.ts";
import { tagsOf } from "../../events/record.ts";
import type { Tx } from "../../events/write.ts";
import { ApiError } from "../../lib/api-error.ts";
import { removeDependencies } from "../dependencies.ts";
import { enterStage } from "../lifecycle.ts";
import { removeUse } from "../usage.ts";
import { featureNamed } from "./feature-store.ts";
import type { Feature } from "./schema.ts";

const setArchived = command<{ name: string; archivedAt: string | null }>(`
  UPDATE features SET archived_at = :archivedAt WHERE name = :name`);

const disableEverywhere = command<{ name: string }>(`
  UPDATE feature_environments SET enabled = 0 WHERE feature = :name AND enabled`);

const archivedOf = query<{ project: string }, string>(`
  SELECT name FROM features WHERE project = :project AND archived_at IS NOT NULL ORDER BY name`);

const removeRow = command<{ name: string }>(`DELETE FROM features WHERE name = :name`);

/** Archives a flag that no live flag depends on, even if it already is archived (original). */
export function archiveFeature(tx: Tx, feature: Feature) {
  const { project, name } = feature;
  removeDependencies(tx, feature);
  setArchived(tx).run({ name, archivedAt: tx.now });
  enterStage(tx, name, "archived");
  tx.record({ type: "feature-archived", project, featureName: name });
}

/** Revives an archived flag; it is off everywhere (original). */
export function reviveFeature(tx: Tx, { project, name }: Feature) {
  setArchived(tx).run({ name, archivedAt: null });
  disableEverywhere(tx).run({ name });
  enterStage(tx, name, "initial");
  tx.record({ type: "feature-revived", project, featureName: name });
}

/**
 * Permanently deletes an archived flag and its use; its events stay, and the last one has its tags (original).
 * @throws ApiError `ConflictError` if it is not archived
 */
export function deleteFeature(tx: Tx, feature: Feature) {
  const { project, name } = feature;
  if (!feature.archived)
    throw new ApiError("ConflictError", `The flag ${name} is not archived: archive it first`);
  const tags = tagsOf(tx.db, name);
  removeRow(tx).run({ name });
  removeUse(tx, name);
  tx.record({ type: "feature-deleted", project, featureName: name, preData: feature, tags });
}

/** Deletes all archived flags of a project. */
export function deleteArchivedFeatures(tx: Tx, project: string) {
  for (const name of archivedOf(tx.db).pluck().all({ project }))
    deleteFeature(tx, featureNamed(tx.db, name)!);
}
