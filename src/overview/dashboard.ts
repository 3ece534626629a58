import * as v from "valibot";
import { ROLES } from "../access/permissions.ts";
import { avatarPath, imageUrlOf, type PersonRow } from "../access/person.ts";
import { hiddenProjects } from "../access/visibility.ts";
import { query } from "../db/statement.ts";
import { Summary } from "../events/wire.ts";
import { GET } from "../http/operation.ts";
import type { Wire } from "../lib/raw-json.ts";
import { startOfMinute } from "../lib/time.ts";
import { ownersOf, toUserOwner } from "../projects/project-list.ts";
import { Percentage, ProjectOwner, UserOwner } from "../projects/projects-schema.ts";
import { COUNTS, EXPIRED, requireProject, toHealth } from "../projects/projects-store.ts";
import { OnboardingStatus, onboardingStatus } from "./project.ts";

export const DashboardAdmin = v.strictObject({
  id: v.pipe(v.number(), v.integer()),
  name: v.optional(v.string()),
  username: v.optional(v.string()),
  imageUrl: v.string(),
  email: v.optional(v.string()),
});
type DashboardAdmin = v.InferOutput<typeof DashboardAdmin>;

export const DashboardProject = v.strictObject({
  id: v.string(),
  name: v.string(),
  health: Percentage,
  technicalDebt: Percentage,
  memberCount: v.number(),
  featureCount: v.number(),
});
type DashboardProject = v.InferOutput<typeof DashboardProject>;

export const DashboardFlag = v.strictObject({ name: v.string(), project: v.string(), type: v.string() });
type DashboardFlag = v.InferOutput<typeof DashboardFlag>;

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
type LatestEvent = v.InferOutput<typeof LatestEvent>;

export const ProjectRole = v.strictObject({
  name: v.string(),
  id: v.pipe(v.number(), v.integer()),
  type: v.picklist(["custom", "project", "root", "custom-root"]),
});

export const PersonalProjectDetails = v.strictObject({
  latestEvents: v.array(LatestEvent),
  onboardingStatus: OnboardingStatus,
  owners: v.array(ProjectOwner),
  roles: v.array(ProjectRole),
});

export const readDashboard = GET({
  id: "getPersonalDashboard",
  summary: "The caller's projects and flags",
  tag: "Personal dashboard",
  path: "/api/admin/personal-dashboard",
  permission: null,
  response: PersonalDashboard,
}).run(({ db, actor }) => {
  const { userId } = actor;
  const hidden = JSON.stringify(hiddenProjects(db, actor));
  const now = new Date(startOfMinute()).toISOString();
  return {
    projects: userId === null ? [] : projectsOf(db).all({ userId, now }).map(toDashboardProject),
    flags: userId === null ? [] : flagsOf(db).all({ userId, hidden }),
    projectOwners: ownersOfVisible(db).all({ hidden }).map(toUserOwner),
    admins: administrators(db).all({}).map(toAdmin),
  };
});

export const readProjectDetails = GET({
  id: "getPersonalDashboardProjectDetails",
  summary: "A project's latest events, owners and onboarding, and the caller's roles",
  tag: "Personal dashboard",
  path: "/api/admin/personal-dashboard/:projectId",
  permission: { project: "projectId" },
  errors: ["NotFoundError"],
  response: PersonalProjectDetails,
}).run(({ db, actor, params: { projectId: project } }) => {
  const { userId } = actor;
  requireProject(db, project);
  return {
    latestEvents: newest(db).all({ project }).map(toLatestEvent),
    onboardingStatus: onboardingStatus(db, project),
    owners: ownersOf(db, project),
    roles: userId === null ? [] : rolesOf(db).all({ project, userId }),
  };
});

type CountedRow = Omit<DashboardProject, "health" | "technicalDebt"> & { unhealthyCount: number };

/** The live projects in which a user has a role, by name. */
const projectsOf = query<{ userId: number; now: string }, CountedRow>(`
  WITH ${EXPIRED}
  SELECT projects.id, projects.name, ${COUNTS}
  FROM projects
  WHERE projects.archived_at IS NULL
    AND projects.id IN (SELECT project FROM project_members WHERE user_id = :userId)
  ORDER BY projects.name, projects.id`);

/** The newest 100 flags that a user created or favorited. */
const flagsOf = query<{ userId: number; hidden: string }, DashboardFlag>(`
  SELECT features.name, features.project, features.type
  FROM features JOIN projects ON projects.id = features.project
  WHERE (features.created_by_user_id = :userId
      OR features.name IN (SELECT feature FROM feature_favorites WHERE user_id = :userId))
    AND features.archived_at IS NULL AND projects.archived_at IS NULL
    AND features.project NOT IN (SELECT value FROM json_each(:hidden))
  ORDER BY features.created_at DESC, features.name LIMIT 100`);

const PERSON = `users.id, users.name, users.username, users.email, users.image_url AS imageUrl`;

/** All owners of live projects that are not hidden, by name. */
const ownersOfVisible = query<{ hidden: string }, PersonRow>(`
  SELECT ${PERSON} FROM users
  WHERE id IN (
    SELECT user_id FROM project_user_roles JOIN projects ON projects.id = project_user_roles.project
    WHERE role_id = ${ROLES.owner} AND archived_at IS NULL
      AND projects.id NOT IN (SELECT value FROM json_each(:hidden)))
  ORDER BY coalesce(name, username, email, 'user ' || id), id`);

const administrators = query<object, PersonRow & { id: number }>(`
  SELECT ${PERSON} FROM users WHERE root_role = ${ROLES.admin} ORDER BY id`);

const toDashboardProject = ({ unhealthyCount, ...project }: CountedRow): DashboardProject => ({
  id: project.id,
  name: project.name,
  ...toHealth({ ...project, unhealthyCount }),
  memberCount: project.memberCount,
  featureCount: project.featureCount,
});

const toAdmin = (row: PersonRow & { id: number }): Wire<DashboardAdmin> => ({
  id: row.id,
  ...(row.name !== null && { name: row.name }),
  ...(row.username !== null && { username: row.username }),
  imageUrl: imageUrlOf(row),
  ...(row.email !== null && { email: row.email }),
});

interface LatestRow extends PersonRow {
  eventId: number;
  summary: string;
  createdBy: string;
}

const newest = query<{ project: string }, LatestRow>(`
  SELECT events.id AS eventId, wire -> 'summary' AS summary, wire ->> 'createdBy' AS createdBy,
    users.id, users.name, username, email, image_url AS imageUrl
  FROM events LEFT JOIN users ON users.id = wire ->> 'createdByUserId'
  WHERE project = :project ORDER BY events.id DESC LIMIT 10`);

/** A user's roles in a project, direct and through groups. */
const rolesOf = query<{ project: string; userId: number }, v.InferOutput<typeof ProjectRole>>(`
  SELECT DISTINCT roles.name, roles.id, roles.type
  FROM project_members JOIN roles ON roles.id = role_id
  WHERE project = :project AND user_id = :userId ORDER BY roles.id`);

const toLatestEvent = (row: LatestRow): Wire<LatestEvent> => ({
  id: row.eventId,
  summary: new Summary(row.summary),
  createdBy: row.createdBy,
  createdByImageUrl: row.id === null ? avatarPath(row.createdBy) : imageUrlOf(row),
});
