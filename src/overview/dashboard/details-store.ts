import { avatarPath, imageUrlOf } from "../../access/avatar.ts";
import { ROLES } from "../../access/permissions.ts";
import { rowCache } from "../../db/row-cache.ts";
import { type Database, query } from "../../db/statement.ts";
import { Summary } from "../../events/wire.ts";
import { type RawJson, SerializedOnce, type Wire } from "../../lib/raw-json.ts";
import type { ProjectOwner } from "../../projects/schema.ts";
import type { LatestEvent, ProjectRole } from "./schema.ts";
import { type PersonRow, toUserOwner } from "./store.ts";

interface LatestRow extends PersonRow {
  eventId: number;
  /** As JSON. */
  summary: string;
  createdBy: string;
  userId: number | null;
}

const latestIds = query<{ project: string }, number>(`
  SELECT latest.id FROM events AS latest WHERE latest.project = :project ORDER BY latest.id DESC LIMIT 10`);

const byIds = query<{ ids: string }, LatestRow>(`
  SELECT events.id AS eventId, wire -> 'summary' AS summary, wire ->> 'createdBy' AS createdBy,
    users.id AS userId, users.id, users.name, username, email, image_url AS imageUrl
  FROM json_each(:ids) CROSS JOIN events ON events.id = json_each.value
  LEFT JOIN users ON users.id = wire ->> 'createdByUserId'`);

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

// Events never change, but the avatars of those who caused them do.
const cachedEvents = rowCache<number, RawJson<LatestEvent>>("latest_events", {
  limit: 1000,
  sizeOf: () => 1,
  sources: { users: null },
});

/** The newest ten events of a project. */
export const latestEvents = (db: Database, project: string): RawJson<LatestEvent>[] =>
  cachedEvents(db).of(latestIds(db).pluck().all({ project }), (ids) =>
    byIds(db)
      .all({ ids: JSON.stringify(ids) })
      .map((row) => [row.eventId, new SerializedOnce(toLatestEvent(row))]),
  );

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
