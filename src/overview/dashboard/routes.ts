import * as v from "valibot";
import { hiddenProjects } from "../../access/visibility.ts";
import { snapshot } from "../../db/snapshot.ts";
import { operation } from "../../http/operation.ts";
import { requireProject } from "../../projects/projects-store.ts";
import { latestEvents, owners, projectRoles } from "./details-store.ts";
import { onboardingStatus } from "./require.ts";
import { PersonalDashboard, PersonalProjectDetails } from "./schema.ts";
import { admins, dashboardFlags, dashboardProjects, projectOwners } from "./store.ts";

export const readDashboard = operation({
  id: "getPersonalDashboard",
  summary: "The caller's projects and flags",
  tag: "Personal dashboard",
  method: "GET",
  path: "/api/admin/personal-dashboard",
  permission: null,
  response: PersonalDashboard,
}).run(({ db, actor }) =>
  snapshot(db, () => {
    const hidden = hiddenProjects(db, actor);
    return {
      projects: actor.userId === null ? [] : dashboardProjects(db, actor.userId),
      flags: actor.userId === null ? [] : dashboardFlags(db, actor.userId, hidden),
      projectOwners: projectOwners(db, hidden),
      admins: admins(db),
    };
  }),
);

export const readProjectDetails = operation({
  id: "getPersonalDashboardProjectDetails",
  summary: "A project's latest events, owners and onboarding, and the caller's roles",
  tag: "Personal dashboard",
  method: "GET",
  path: "/api/admin/personal-dashboard/:projectId",
  permission: { project: "projectId" },
  params: v.object({ projectId: v.string() }),
  errors: ["NotFoundError"],
  response: PersonalProjectDetails,
}).run(({ db, actor, params: { projectId } }) =>
  snapshot(db, () => {
    requireProject(db, projectId);
    return {
      latestEvents: latestEvents(db, projectId),
      onboardingStatus: onboardingStatus(db, projectId),
      owners: owners(db, projectId),
      roles: actor.userId === null ? [] : projectRoles(db, projectId, actor.userId),
    };
  }),
);
