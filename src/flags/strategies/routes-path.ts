import * as v from "valibot";

/** A flag in an environment. */
export const ENVIRONMENT = "/api/admin/projects/:projectId/features/:featureName/environments/:environment";

const Names = v.object({ projectId: v.string(), featureName: v.string(), environment: v.string() });

const toPlace = ({ projectId, featureName, environment }: v.InferOutput<typeof Names>) => ({
  project: projectId,
  feature: featureName,
  environment,
});

/** The same from a path. */
export const Params = v.pipe(Names, v.transform(toPlace));

/** One of its strategies. */
export const StrategyParams = v.pipe(
  v.object({ ...Names.entries, strategyId: v.string() }),
  v.transform(({ strategyId: id, ...names }) => ({ place: toPlace(names), id })),
);
