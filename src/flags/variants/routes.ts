import * as v from "valibot";
import { requirePermission } from "../../access/require-permission.ts";
import { type FlagVariant, FlagVariants, NewFlagVariant } from "../../evaluation/variant.ts";
import { applyJsonPatchAs, JsonPatch } from "../../http/json-patch.ts";
import { operation } from "../../http/operation.ts";
import { NonEmptyText } from "../../lib/validation.ts";
import { requireFeature } from "../features/require.ts";
import { requireFeatureEnvironment } from "../strategies/require.ts";
import { changeAllVariants, changeVariants } from "./changes.ts";
import { requireFlagVariants, requireWeights } from "./require.ts";
import { variantNames, variantsByEnvironment, variantsOf } from "./store.ts";

const FEATURE = "/api/admin/projects/:projectId/features/:featureName";
const ENVIRONMENT = `${FEATURE}/environments/:environment/variants` as const;

const Params = v.object({ projectId: v.string(), featureName: v.string() });

/** A flag in an environment. */
const PlaceParams = v.pipe(
  v.object({ ...Params.entries, environment: v.string() }),
  v.transform(({ projectId: project, featureName: feature, environment }) => ({
    project,
    feature,
    environment,
  })),
);

const NewVariants = v.array(NewFlagVariant);

/** What is filled in only where several environments are changed at once (original). */
const BATCH_DEFAULTS = {
  weightType: v.optional(NewFlagVariant.entries.weightType, "variable"),
  stickiness: v.optional(NonEmptyText, "default"),
};

const toResponse = (variants: FlagVariant[]) => ({ version: 1 as const, variants });

export const listParentVariants = operation({
  id: "listParentVariantOptions",
  summary: "The names of a flag's variants, for flags that depend on it",
  tag: "Features",
  method: "GET",
  path: "/api/admin/projects/:projectId/features/:parent/parent-variants",
  permission: { project: "projectId" },
  params: v.object({ projectId: v.string(), parent: v.string() }),
  response: v.array(v.string()),
}).run(({ db, params: { projectId, parent } }) => variantNames(db, projectId, parent));

export const readVariants = operation({
  id: "getFeatureVariants",
  summary: "A flag's variants in the first environment that has any",
  tag: "Features",
  method: "GET",
  path: `${FEATURE}/variants`,
  permission: { project: "projectId" },
  params: Params,
  errors: ["NotFoundError"],
  response: FlagVariants,
}).run(({ db, params: { projectId, featureName } }) => {
  requireFeature(db, projectId, featureName);
  return toResponse(variantsOf(db, featureName));
});

export const patchVariants = operation({
  id: "patchFeatureVariants",
  summary: "Change a flag's variants in all environments with a JSON Patch",
  tag: "Features",
  method: "PATCH",
  path: `${FEATURE}/variants`,
  permission: { permission: "UPDATE_FEATURE_VARIANTS", project: "projectId" },
  params: Params,
  body: JsonPatch,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["feature-environment-variants-updated"],
  response: FlagVariants,
}).change(({ tx, params: { projectId: project, featureName: feature }, body }) => {
  requireFeature(tx.db, project, feature);
  requireFlagVariants(tx.db, feature);
  const changed = [...variantsByEnvironment(tx.db, feature)].map(([environment, variants]) =>
    changeVariants(
      tx,
      { project, feature, environment },
      withWeights(applyJsonPatchAs(NewVariants, variants, body)),
    ),
  );
  return toResponse(changed[0] ?? []);
});

export const replaceVariants = operation({
  id: "overwriteFeatureVariants",
  summary: "Replace a flag's variants in all environments",
  tag: "Features",
  method: "PUT",
  path: `${FEATURE}/variants`,
  permission: { permission: "UPDATE_FEATURE_VARIANTS", project: "projectId" },
  params: Params,
  body: NewVariants,
  errors: ["NotFoundError"],
  records: ["feature-variants-updated"],
  response: FlagVariants,
}).change(({ tx, params: { projectId, featureName }, body }) => {
  requireFeature(tx.db, projectId, featureName);
  const variants = withWeights(body);
  changeAllVariants(tx, projectId, featureName, variants);
  return toResponse(variants);
});

export const readEnvironmentVariants = operation({
  id: "getEnvironmentFeatureVariants",
  summary: "The variants of a flag in an environment",
  tag: "Features",
  method: "GET",
  path: ENVIRONMENT,
  permission: { project: "projectId" },
  params: PlaceParams,
  errors: ["NotFoundError"],
  response: FlagVariants,
}).run(({ db, params: place }) => {
  requireFeatureEnvironment(db, place);
  return toResponse(variantsByEnvironment(db, place.feature).get(place.environment) ?? []);
});

export const patchEnvironmentVariants = operation({
  id: "patchEnvironmentsFeatureVariants",
  summary: "Change the variants of a flag that has some, in an environment, with a JSON Patch",
  tag: "Features",
  method: "PATCH",
  path: ENVIRONMENT,
  permission: {
    permission: "UPDATE_FEATURE_ENVIRONMENT_VARIANTS",
    project: "projectId",
    environment: "environment",
  },
  params: PlaceParams,
  body: JsonPatch,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["feature-environment-variants-updated"],
  response: FlagVariants,
}).change(({ tx, params: place, body }) => {
  requireFeatureEnvironment(tx.db, place);
  requireFlagVariants(tx.db, place.feature);
  const before = variantsByEnvironment(tx.db, place.feature).get(place.environment) ?? [];
  return toResponse(changeVariants(tx, place, withWeights(applyJsonPatchAs(NewVariants, before, body))));
});

export const replaceEnvironmentVariants = operation({
  id: "overwriteEnvironmentFeatureVariants",
  summary: "Replace a flag's variants in an environment",
  tag: "Features",
  method: "PUT",
  path: ENVIRONMENT,
  permission: {
    permission: "UPDATE_FEATURE_ENVIRONMENT_VARIANTS",
    project: "projectId",
    environment: "environment",
  },
  params: PlaceParams,
  body: NewVariants,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["feature-environment-variants-updated"],
  response: FlagVariants,
}).change(({ tx, params: place, body }) => {
  requireFeatureEnvironment(tx.db, place);
  requireFlagVariants(tx.db, place.feature);
  return toResponse(changeVariants(tx, place, withWeights(body)));
});

export const replaceVariantsInEnvironments = operation({
  id: "overwriteFeatureVariantsOnEnvironments",
  summary: "Replace a flag's variants in several environments",
  tag: "Features",
  method: "PUT",
  path: `${FEATURE}/variants-batch`,
  permission: { project: "projectId" },
  params: Params,
  body: v.object({
    variants: v.optional(v.array(v.object({ ...NewFlagVariant.entries, ...BATCH_DEFAULTS })), []),
    environments: v.pipe(v.array(v.string()), v.minLength(1, "must name an environment")),
  }),
  errors: ["NotFoundError"],
  records: ["feature-environment-variants-updated"],
  response: FlagVariants,
}).change(({ tx, actor, params: { projectId: project, featureName: feature }, body }) => {
  const variants = withWeights(body.variants, "body.variants");
  const changed = [...new Set(body.environments)].map((environment) => {
    const place = { project, feature, environment };
    requirePermission(tx.db, actor, { permissions: ["UPDATE_FEATURE_ENVIRONMENT_VARIANTS"], ...place });
    requireFeatureEnvironment(tx.db, place);
    return changeVariants(tx, place, variants);
  });
  return toResponse(changed[0]!);
});

const withWeights = (variants: FlagVariant[], where = "body") => requireWeights(variants, where);
