import * as v from "valibot";
import { ProjectFeature } from "../../flags/features/schema.ts";
import { FeatureTypeCount, Insights, ProjectBasics } from "../../projects/projects-schema.ts";
import { OnboardingStatus } from "../dashboard/schema.ts";

export const ProjectOverview = v.strictObject({
  ...ProjectBasics.entries,
  onboardingStatus: OnboardingStatus,
  featureTypeCounts: v.array(FeatureTypeCount),
});

export const ProjectWithFeatures = v.strictObject({
  ...ProjectBasics.entries,
  features: v.array(ProjectFeature),
});

export const HealthReport = v.strictObject({
  ...ProjectWithFeatures.entries,
  ...v.omit(Insights.entries.health, ["rating"]).entries,
});
