import { command } from "../../db/statement.ts";
import type { FlagVariant } from "../../evaluation/variant.ts";
import type { Tx } from "../../events/write.ts";
import type { FeaturePlace, Place } from "../strategies/changes.ts";
import { variantsByEnvironment, variantsOf } from "./store.ts";

const setVariants = command<FeaturePlace & { variants: string }>(`
  INSERT INTO feature_environments (feature, environment, variants) VALUES (:feature, :environment, :variants)
  ON CONFLICT DO UPDATE SET variants = :variants`);

/** Sets the variants of a flag in an environment; their weights add up. */
export function changeVariants(tx: Tx, place: Place, variants: FlagVariant[]) {
  const { project, feature, environment } = place;
  const before = variantsByEnvironment(tx.db, feature).get(environment) ?? [];
  setVariants(tx).run({ feature, environment, variants: JSON.stringify(variants) });
  tx.record({
    type: "feature-environment-variants-updated",
    project,
    environment,
    featureName: feature,
    data: { variants },
    preData: { variants: before },
  });
  return variants;
}

/** Sets the variants of a flag in all environments of its project, as one change. */
export function changeAllVariants(tx: Tx, project: string, feature: string, variants: FlagVariant[]) {
  const before = variantsOf(tx.db, feature);
  for (const environment of variantsByEnvironment(tx.db, feature).keys())
    setVariants(tx).run({ feature, environment, variants: JSON.stringify(variants) });
  tx.record({
    type: "feature-variants-updated",
    project,
    featureName: feature,
    data: { variants },
    preData: { variants: before },
  });
}
