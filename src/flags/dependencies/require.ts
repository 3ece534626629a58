import { type Database, query } from "../../db/statement.ts";
import { ApiError, invalid } from "../../lib/api-error.ts";
import { findFeature } from "../features/require.ts";
import type { Feature } from "../features/schema.ts";
import type { NewDependency } from "./schema.ts";

const parentsOf = query<{ name: string }>(`SELECT 1 FROM feature_dependencies WHERE feature = :name LIMIT 1`);

const childrenOf = query<{ name: string }>(`SELECT 1 FROM feature_dependencies WHERE parent = :name LIMIT 1`);

/**
 * Checks that a flag can depend on another one: both are live and in the same project, and no chain results, since
 * evaluation looks only at a flag's direct parents (original).
 * @throws ApiError `ValidationError` for variants of a parent that must be off, else `InvalidOperationError` (original)
 */
export function requireDependency(
  db: Database,
  child: Feature,
  { feature, enabled, variants }: NewDependency,
) {
  if (feature === child.name) throw refused("A flag can't depend on itself");
  if (!enabled && variants && variants.length > 0)
    throw invalid({ path: "body.variants", message: "must be empty if the parent must be off" });
  const parent = findFeature(db, feature);
  if (!parent) throw refused(`There is no flag ${feature}`);
  if (parent.project !== child.project) throw refused(`The flag ${feature} is in another project`);
  if (parent.archived) throw refused(`The flag ${feature} is archived`);
  if (parentsOf(db).get({ name: feature }))
    throw refused(`The flag ${feature} itself depends on another flag`);
  if (childrenOf(db).get({ name: child.name })) throw refused(`Other flags depend on ${child.name}`);
}

const refused = (message: string) => new ApiError("InvalidOperationError", message);
