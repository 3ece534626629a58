import { ROLES } from "../../access/permissions.ts";
import { imageUrlOf } from "../../access/person.ts";
import { type Database, query } from "../../db/statement.ts";
import { startOfMinute } from "../../lib/minute.ts";
import type { Wire } from "../../lib/raw-json.ts";
import type { UserOwner } from "../../projects/projects-schema.ts";
import { COUNTS, EXPIRED, toHealth } from "../../projects/projects-store.ts";
import type { DashboardAdmin, DashboardFlag, DashboardProject } from "./schema.ts";

export interface PersonRow {
  id: number;
  name: string | null;
  username: string | null;
  email: string | null;
  imageUrl: string | null;
}

type CountedRow = Omit<DashboardProject, "health"> & { unhealthyCount: number };

const projectsOf = query<{ userId: number; now: string }, CountedRow>(`
  WITH ${EXPIRED}
  SELECT projects.id, projects.name, ${COUNTS}
  FROM projects
  WHERE projects.archived_at IS NULL
    AND projects.id IN (SELECT project FROM project_members WHERE user_id = :userId)
  ORDER BY projects.name, projects.id`);

const flagsOf = query<{ userId: number; hidden: string }, DashboardFlag>(`
  SELECT features.name, features.project, features.type
  FROM features JOIN projects ON projects.id = features.project
  WHERE (features.created_by_user_id = :userId
      OR features.name IN (SELECT feature FROM feature_favorites WHERE user_id = :userId))
    AND features.archived_at IS NULL AND projects.archived_at IS NULL
    AND features.project NOT IN (SELECT value FROM json_each(:hidden))
  ORDER BY features.created_at DESC, features.name LIMIT 100`);

const PERSON = `users.id, users.name, users.username, users.email, users.image_url AS imageUrl`;

const ownersOfVisible = query<{ hidden: string }, PersonRow>(`
  SELECT ${PERSON} FROM users
  WHERE id IN (
    SELECT user_id FROM project_user_roles JOIN projects ON projects.id = project_user_roles.project
    WHERE role_id = ${ROLES.owner} AND archived_at IS NULL
      AND projects.id NOT IN (SELECT value FROM json_each(:hidden)))
  ORDER BY coalesce(name, username, email, 'user ' || id), id`);

const administrators = query<object, PersonRow>(`
  SELECT ${PERSON} FROM users WHERE root_role = ${ROLES.admin} ORDER BY id`);

/** The live projects in which a user has a role, by name. */
export const dashboardProjects = (db: Database, userId: number): DashboardProject[] =>
  projectsOf(db)
    .all({ userId, now: new Date(startOfMinute()).toISOString() })
    .map(toDashboardProject);

const toDashboardProject = ({ unhealthyCount, ...project }: CountedRow): DashboardProject => ({
  id: project.id,
  name: project.name,
  health: toHealth({ ...project, unhealthyCount }),
  memberCount: project.memberCount,
  featureCount: project.featureCount,
});

/** The newest 100 flags that a user created or favorited. */
export const dashboardFlags = (db: Database, userId: number, hidden: string[]): DashboardFlag[] =>
  flagsOf(db).all({ userId, hidden: JSON.stringify(hidden) });

/** All owners of live projects that are not hidden, by name. */
export const projectOwners = (db: Database, hidden: string[]): Wire<UserOwner>[] =>
  ownersOfVisible(db)
    .all({ hidden: JSON.stringify(hidden) })
    .map(toUserOwner);

/** All users whose root role is Admin, by id. */
export const admins = (db: Database): Wire<DashboardAdmin>[] => administrators(db).all({}).map(toAdmin);

export const toUserOwner = (row: PersonRow): Wire<UserOwner> => ({
  ownerType: "user",
  name: row.name ?? row.username ?? row.email ?? `user ${row.id}`,
  email: row.email,
  imageUrl: imageUrlOf(row),
});

const toAdmin = (row: PersonRow): Wire<DashboardAdmin> => ({
  id: row.id,
  ...(row.name !== null && { name: row.name }),
  ...(row.username !== null && { username: row.username }),
  imageUrl: imageUrlOf(row),
  ...(row.email !== null && { email: row.email }),
});
