import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { FeatureType } from "./schema.ts";

export const setLifetime = command<Pick<FeatureType, "id" | "lifetimeDays">>(`
  UPDATE feature_types SET lifetime_days = :lifetimeDays WHERE id = :id`);

/** Sets how long flags of a type are expected to live, in days; null means forever. */
export function changeLifetime(tx: Tx, before: FeatureType, lifetimeDays: number | null): FeatureType {
  const updated = { ...before, lifetimeDays };
  setLifetime(tx).run({ id: before.id, lifetimeDays });
  tx.record({ type: "feature-type-updated", data: updated, preData: before });
  return updated;
}
