import { change } from "../../reads.ts";

/** A flag in one of its environments. */
export interface FlagPlace {
  project: string;
  feature: string;
  environment: string;
}

/** Its parameters in the API's paths. */
export const paramsOf = ({ project, feature, environment }: FlagPlace) => ({
  projectId: project,
  featureName: feature,
  environment,
});

export const switchFlag = (place: FlagPlace, isOn: boolean) =>
  isOn
    ? change("POST /api/admin/projects/:projectId/features/:featureName/environments/:environment/on", {
        params: paramsOf(place),
        query: {},
      })
    : change("POST /api/admin/projects/:projectId/features/:featureName/environments/:environment/off", {
        params: paramsOf(place),
      });
