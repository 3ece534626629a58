import * as v from "valibot";
import { ProjectOwner, UserOwner } from "../../projects/projects-schema.ts";

export const DashboardAdmin = v.strictObject({
  id: v.pipe(v.number(), v.integer()),
  name: v.optional(v.string()),
  username: v.optional(v.string()),
  imageUrl: v.string(),
  email: v.optional(v.string()),
});
export type DashboardAdmin = v.InferOutput<typeof DashboardAdmin>;

export const DashboardProject = v.strictObject({
  id: v.string(),
  name: v.string(),
  health: v.pipe(v.number(), v.minValue(0), v.maxValue(100)),
  memberCount: v.number(),
  featureCount: v.number(),
});
export type DashboardProject = v.InferOutput<typeof DashboardProject>;

export const DashboardFlag = v.strictObject({ name: v.string(), project: v.string(), type: v.string() });
export type DashboardFlag = v.InferOutput<typeof DashboardFlag>;

export const PersonalDashboard = v.strictObject({
  projects: v.array(DashboardProject),
  flags: v.array(DashboardFlag),
  projectOwners: v.array(UserOwner),
  admins: v.array(DashboardAdmin),
});

export const LatestEvent = v.strictObject({
  id: v.pipe(v.number(), v.integer(), v.minValue(1)),
  summary: v.nullable(v.string()),
  createdBy: v.string(),
  createdByImageUrl: v.string(),
});
export type LatestEvent = v.InferOutput<typeof LatestEvent>;

export const ProjectRole = v.strictObject({
  name: v.string(),
  id: v.pipe(v.number(), v.integer()),
  type: v.picklist(["custom", "project", "root", "custom-root"]),
});
export type ProjectRole = v.InferOutput<typeof ProjectRole>;

export const OnboardingStatus = v.variant("status", [
  v.strictObject({ status: v.picklist(["onboarding-started", "onboarded"]) }),
  v.strictObject({ status: v.literal("first-flag-created"), feature: v.string() }),
]);
export type OnboardingStatus = v.InferOutput<typeof OnboardingStatus>;

export const PersonalProjectDetails = v.strictObject({
  latestEvents: v.array(LatestEvent),
  onboardingStatus: OnboardingStatus,
  owners: v.array(ProjectOwner),
  roles: v.array(ProjectRole),
});
