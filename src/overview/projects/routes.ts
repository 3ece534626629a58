import * as v from "valibot";
import { snapshot } from "../../db/snapshot.ts";
import { featuresOf } from "../../flags/features/require.ts";
import { operation } from "../../http/operation.ts";
import { featureTypeCounts, leadTime, projectHealth, projectStats } from "../../projects/insights-store.ts";
import { projectBasics } from "../../projects/overview-store.ts";
import { FlagCreator, Insights, LeadTime } from "../../projects/projects-schema.ts";
import { requireProject } from "../../projects/projects-store.ts";
import { flagCreators, memberCount } from "../../projects/store.ts";
import { onboardingStatus } from "../dashboard/require.ts";
import { HealthReport, ProjectOverview, ProjectWithFeatures } from "./schema.ts";

const PROJECT = "/api/admin/projects/:projectId";

const ofProject = {
  tag: "Projects",
  method: "GET",
  permission: { project: "projectId" },
  params: v.object({ projectId: v.string() }),
} as const;

/** Apart from these and what each adds, the project and its overview are the same and share a version. */
const VOLATILE = ["stats", "health", "favorite", "members"];

export const readProject = operation({
  ...ofProject,
  id: "getDeprecatedProjectOverview",
  summary: "A project with its flags",
  path: PROJECT,
  errors: ["NotFoundError"],
  volatile: [...VOLATILE, "features"],
  response: ProjectWithFeatures,
}).run(({ db, actor: { userId }, params: { projectId } }) =>
  snapshot(db, () => {
    requireProject(db, projectId);
    return { ...projectBasics(db, projectId, userId), features: featuresOf(db, projectId, userId) };
  }),
);

export const readOverview = operation({
  ...ofProject,
  id: "getProjectOverview",
  summary: "A project without its flags",
  path: `${PROJECT}/overview`,
  errors: ["NotFoundError"],
  volatile: [...VOLATILE, "onboardingStatus", "featureTypeCounts"],
  response: ProjectOverview,
}).run(({ db, actor: { userId }, params: { projectId } }) =>
  snapshot(db, () => {
    requireProject(db, projectId);
    return {
      ...projectBasics(db, projectId, userId),
      onboardingStatus: onboardingStatus(db, projectId),
      featureTypeCounts: featureTypeCounts(db, projectId),
    };
  }),
);

export const readHealthReport = operation({
  ...ofProject,
  id: "getProjectHealthReport",
  summary: "A project with its flags and their health",
  path: `${PROJECT}/health-report`,
  errors: ["NotFoundError"],
  response: HealthReport,
}).run(({ db, actor: { userId }, params: { projectId } }) =>
  snapshot(db, () => {
    requireProject(db, projectId);
    const { rating: _, ...counts } = projectHealth(db, projectId);
    return {
      ...projectBasics(db, projectId, userId),
      features: featuresOf(db, projectId, userId),
      ...counts,
    };
  }),
);

export const readInsights = operation({
  ...ofProject,
  id: "getProjectInsights",
  summary: "A project's recent activity and health",
  path: `${PROJECT}/insights`,
  errors: ["NotFoundError"],
  response: Insights,
}).run(({ db, params: { projectId } }) =>
  snapshot(db, () => {
    requireProject(db, projectId);
    const stats = projectStats(db, projectId);
    return {
      stats,
      featureTypeCounts: featureTypeCounts(db, projectId),
      health: projectHealth(db, projectId),
      leadTime: leadTime(db, projectId),
      members: {
        currentMembers: memberCount(db, projectId),
        change: stats.projectMembersAddedCurrentWindow,
      },
    };
  }),
);

export const readDora = operation({
  ...ofProject,
  id: "getProjectDora",
  summary: "How long a project's flags took to reach production",
  path: `${PROJECT}/dora`,
  response: LeadTime,
}).run(({ db, params: { projectId } }) => leadTime(db, projectId));

export const listFlagCreators = operation({
  ...ofProject,
  id: "getProjectFlagCreators",
  summary: "The creators of a project's flags",
  path: `${PROJECT}/flag-creators`,
  response: v.array(FlagCreator),
}).run(({ db, params: { projectId } }) => flagCreators(db, projectId));
