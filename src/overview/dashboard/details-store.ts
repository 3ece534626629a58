import { ROLES } from "../../access/permissions.ts";
import { avatarPath, imageUrlOf } from "../../access/person.ts";
import { type Database, query } from "../../db/statement.ts";
import { Summary } from "../../events/wire.ts";
import type { Wire } from "../../lib/raw-json.ts";
import type { ProjectOwner } from "../../projects/projects-schema.ts";
import type { LatestEvent, ProjectRole } from "./schema.ts";
import { type PersonRow, toUserOwner } from "./store.ts";

interface LatestRow extends PersonRow {
  eventId: number;
  /** As JSON. */
  summary: string;
  createdBy: string;
  userId: number | null;
}

const newest = query<{ project: string }, LatestRow>(`
  SELECT events.id AS eventId, wire -> 'summary' AS summary, wire ->> 'createdBy' AS createdBy,
    users.id AS userId, users.id, users.name, username, email, image_url AS imageUrl
  FROM events LEFT JOIN users ON users.id = wire ->> 'createdByUserId'
  WHERE project = :project ORDER BY events.id DESC LIMIT 10`);

const userOwners = query<{ project: string }, PersonRow>(`
  SELECT users.id, name, username, email, image_url AS imageUrl
  FROM project_user_roles JOIN users ON users.id = user_id
  WHERE project = :project AND role_id = ${ROLES.owner} ORDER BY users.id`);

const groupOwners = query<{ project: string }, { name: string }>(`
  SELECT name FROM project_group_roles JOIN groups ON groups.id = group_id
  WHERE project = :project AND role_id = ${ROLES.owner} ORDER BY name`);

const rolesOf = query<{ project: string; userId: number }, ProjectRole>(`
  SELECT DISTINCT roles.name, roles.id, roles.type
  FROM project_members JOIN roles ON roles.id = role_id
  WHERE project = :project AND user_id = :userId ORDER BY roles.id`);

/** The newest ten events of a project. */
export const latestEvents = (db: Database, project: string): Wire<LatestEvent>[] =>
  newest(db).all({ project }).map(toLatestEvent);

const toLatestEvent = (row: LatestRow): Wire<LatestEvent> => ({
  id: row.eventId,
  summary: new Summary(row.summary),
  createdBy: row.createdBy,
  createdByImageUrl: row.userId === null ? avatarPath(row.createdBy) : imageUrlOf(row),
});

/** A project's owners: users by id, then groups by name; a project without owners belongs to the system. */
export function owners(db: Database, project: string): Wire<ProjectOwner>[] {
  const people = userOwners(db).all({ project }).map(toUserOwner);
  const groups = groupOwners(db).all({ project });
  const all = [...people, ...groups.map(({ name }) => ({ ownerType: "group" as const, name }))];
  return all.length > 0 ? all : [{ ownerType: "system" }];
}

/** A user's roles in a project, direct and through groups, by id. */
export const projectRoles = (db: Database, project: string, userId: number): ProjectRole[] =>
  rolesOf(db).all({ project, userId });
