import * as v from "valibot";
import { requirePermission } from "../access/require-permission.ts";
import type { Database } from "../db/database.ts";
import { command, query, valueQuery } from "../db/statement.ts";
import { type FlagVariant, FlagVariants, NewFlagVariant, requireWeights } from "../evaluation/variant.ts";
import type { Tx } from "../events/write.ts";
import { applyJsonPatchAs, JsonPatch } from "../http/json-patch.ts";
import { GET, PATCH, PUT } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import { NonEmptyText } from "../lib/validation.ts";
import { SCOPE_PATH, ScopeParams } from "./feature-environments.ts";
import { type FeatureScope, requireFeatureEnvironment, type Scope } from "./feature-environments-store.ts";
import { requireFeature } from "./features-store.ts";

export const NewVariants = v.array(NewFlagVariant);

/** What is filled in only where several environments are changed at once (original). */
const BATCH_DEFAULTS = {
  weightType: v.optional(NewFlagVariant.entries.weightType, "variable"),
  stickiness: v.optional(NonEmptyText, "default"),
};

const ofFlag = {
  tag: "Features",
  path: "/api/admin/projects/:projectId/features/:featureName/variants",
  permission: { project: "projectId" },
  errors: ["NotFoundError"],
  response: FlagVariants,
} as const;

const inEnvironment = { ...ofFlag, path: `${SCOPE_PATH}/variants`, params: ScopeParams } as const;

/** A change there, which only a flag that has variants allows. */
const changesEnvironment = {
  ...inEnvironment,
  permission: {
    permission: "UPDATE_FEATURE_ENVIRONMENT_VARIANTS",
    project: "projectId",
    environment: "environment",
  },
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["feature-environment-variants-updated"],
} as const;

const toResponse = (variants: FlagVariant[]) => ({ version: 1 as const, variants });

export const listParentVariants = GET({
  id: "listParentVariantOptions",
  summary: "The names of a flag's variants, for flags that depend on it",
  tag: "Features",
  path: "/api/admin/projects/:projectId/features/:parent/parent-variants",
  permission: { project: "projectId" },
  response: v.array(v.string()), // none if the flag is unknown (original)
}).run(({ db, params }) => namesOf(db).all(params));

export const readVariants = GET({
  ...ofFlag,
  id: "getFeatureVariants",
  summary: "A flag's variants in the first environment that has any",
}).run(({ db, params: { projectId, featureName } }) => {
  requireFeature(db, projectId, featureName);
  return toResponse(variantsOf(db, featureName));
});

const EXAMPLE = [{ name: "blue", weight: 1000, weightType: "variable", stickiness: "default" }];

export const patchVariants = PATCH({
  ...ofFlag,
  id: "patchFeatureVariants",
  summary: "Change a flag's variants in all environments with a JSON Patch",
  permission: { permission: "UPDATE_FEATURE_VARIANTS", project: "projectId" },
  body: JsonPatch,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["feature-environment-variants-updated"],
  example: [{ op: "add", path: "/0", value: EXAMPLE[0] }],
}).change(({ tx, params: { projectId: project, featureName: feature }, body }) => {
  requireFeature(tx.db, project, feature);
  requireFlagVariants(tx.db, feature);
  const changed = [...variantsByEnvironment(tx.db, feature)].map(([environment, variants]) =>
    changeVariants(tx, { project, feature, environment }, patched(variants, body)),
  );
  return toResponse(changed[0] ?? []);
});

export const replaceVariants = PUT({
  ...ofFlag,
  id: "overwriteFeatureVariants",
  summary: "Replace a flag's variants in all environments",
  permission: { permission: "UPDATE_FEATURE_VARIANTS", project: "projectId" },
  body: NewVariants,
  records: ["feature-variants-updated"],
  example: EXAMPLE,
}).change(({ tx, params: { projectId, featureName }, body }) => {
  requireFeature(tx.db, projectId, featureName);
  const variants = requireWeights(body, "body");
  changeAllVariants(tx, projectId, featureName, variants);
  return toResponse(variants);
});

export const readEnvironmentVariants = GET({
  ...inEnvironment,
  id: "getEnvironmentFeatureVariants",
  summary: "The variants of a flag in an environment",
}).run(({ db, params: scope }) => {
  requireFeatureEnvironment(db, scope);
  return toResponse(variantsIn(db, scope));
});

export const patchEnvironmentVariants = PATCH({
  ...changesEnvironment,
  id: "patchEnvironmentsFeatureVariants",
  summary: "Change the variants of a flag that has some, in an environment, with a JSON Patch",
  body: JsonPatch,
  example: [{ op: "add", path: "/0", value: EXAMPLE[0] }],
}).change(({ tx, params: scope, body }) => {
  requireFeatureEnvironment(tx.db, scope);
  requireFlagVariants(tx.db, scope.feature);
  return toResponse(changeVariants(tx, scope, patched(variantsIn(tx.db, scope), body)));
});

export const replaceEnvironmentVariants = PUT({
  ...changesEnvironment,
  id: "overwriteEnvironmentFeatureVariants",
  summary: "Replace a flag's variants in an environment",
  body: NewVariants,
  example: EXAMPLE,
}).change(({ tx, params: scope, body }) => {
  requireFeatureEnvironment(tx.db, scope);
  requireFlagVariants(tx.db, scope.feature);
  return toResponse(changeVariants(tx, scope, requireWeights(body, "body")));
});

export const replaceVariantsInEnvironments = PUT({
  ...ofFlag,
  id: "overwriteFeatureVariantsOnEnvironments",
  summary: "Replace a flag's variants in several environments",
  path: `${ofFlag.path}-batch`,
  body: v.object({
    variants: v.optional(v.array(v.object({ ...NewFlagVariant.entries, ...BATCH_DEFAULTS })), []),
    environments: v.pipe(v.array(v.string()), v.minLength(1, "must name an environment")),
  }),
  records: ["feature-environment-variants-updated"],
  example: { variants: EXAMPLE, environments: ["development"] },
}).change(({ tx, actor, params: { projectId: project, featureName: feature }, body }) => {
  const variants = requireWeights<FlagVariant>(body.variants, "body.variants");
  const changed = [...new Set(body.environments)].map((environment) => {
    const scope = { project, feature, environment };
    requirePermission(tx.db, actor, { permissions: ["UPDATE_FEATURE_ENVIRONMENT_VARIANTS"], ...scope });
    requireFeatureEnvironment(tx.db, scope);
    return changeVariants(tx, scope, variants);
  });
  return toResponse(changed[0]!);
});

/** The variants after a JSON Patch. @throws ApiError `ValidationError` */
const patched = (variants: FlagVariant[], patch: v.InferOutput<typeof JsonPatch>) =>
  requireWeights(applyJsonPatchAs(NewVariants, variants, patch), "body");

// All environments of the flag's project, including those where the flag was never touched.
const ofEnvironments = query<{ feature: string }, { environment: string; variants: string }>(`
  SELECT project_environments.environment, ifnull(feature_environments.variants, '[]') AS variants
  FROM features
  JOIN project_environments ON project_environments.project = features.project
  JOIN environments ON environments.name = project_environments.environment
  LEFT JOIN feature_environments ON feature_environments.feature = features.name
    AND feature_environments.environment = project_environments.environment
  WHERE features.name = :feature
  ORDER BY environments.sort_order, environments.name`);

/** The variants of a flag per environment of its project, in the order of the environments. */
const variantsByEnvironment = (db: Database, feature: string): Map<string, FlagVariant[]> =>
  new Map(
    ofEnvironments(db)
      .all({ feature })
      .map(({ environment, variants }) => [environment, JSON.parse(variants)]),
  );

export const variantsIn = (db: Database, { feature, environment }: FeatureScope): FlagVariant[] =>
  variantsByEnvironment(db, feature).get(environment) ?? [];

/** The variants of the first environment that has any, which count as the flag's own (original). */
const variantsOf = (db: Database, feature: string): FlagVariant[] =>
  [...variantsByEnvironment(db, feature).values()].find((variants) => variants.length > 0) ?? [];

const namesOf = valueQuery<{ projectId: string; parent: string }, string>(`
  SELECT json_each.value ->> 'name' AS name
  FROM features JOIN strategies ON strategies.feature = features.name, json_each(strategies.variants)
  WHERE features.name = :parent AND features.project = :projectId
  UNION
  SELECT json_each.value ->> 'name'
  FROM features JOIN feature_environments ON feature_environments.feature = features.name,
    json_each(feature_environments.variants)
  WHERE features.name = :parent AND features.project = :projectId
  ORDER BY name`);

/**
 * Variants of flags are superseded by those of strategies: a flag that has some can change them, others can't get any.
 * @throws ApiError `InvalidOperationError` if a flag has none (original)
 */
function requireFlagVariants(db: Database, feature: string) {
  if (variantsOf(db, feature).length > 0) return;
  const message = `The flag ${feature} has no variants of its own: give them to its strategies`;
  throw new ApiError("InvalidOperationError", message);
}

const setVariants = command<FeatureScope & { variants: string }>(`
  INSERT INTO feature_environments (feature, environment, variants) VALUES (:feature, :environment, :variants)
  ON CONFLICT DO UPDATE SET variants = :variants`);

/** Sets the variants of a flag in an environment; their weights add up. */
export function changeVariants(tx: Tx, scope: Scope, variants: FlagVariant[]): FlagVariant[] {
  const { project, feature, environment } = scope;
  const preData = { variants: variantsIn(tx.db, scope) };
  setVariants(tx).run({ feature, environment, variants: JSON.stringify(variants) });
  tx.record({
    type: "feature-environment-variants-updated",
    project,
    environment,
    featureName: feature,
    data: { variants },
    preData,
  });
  return variants;
}

/** Sets the variants of a flag in all environments of its project, as one change. */
function changeAllVariants(tx: Tx, project: string, feature: string, variants: FlagVariant[]) {
  const preData = { variants: variantsOf(tx.db, feature) };
  for (const environment of variantsByEnvironment(tx.db, feature).keys())
    setVariants(tx).run({ feature, environment, variants: JSON.stringify(variants) });
  tx.record({
    type: "feature-variants-updated",
    project,
    featureName: feature,
    data: { variants },
    preData,
  });
}
