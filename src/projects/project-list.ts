import * as v from "valibot";
import { ROLES } from "../access/permissions.ts";
import { imageUrlOf, type PersonRow } from "../access/person.ts";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { query, type Stored } from "../db/statement.ts";
import { GET } from "../http/operation.ts";
import type { Wire } from "../lib/raw-json.ts";
import { startOfMinute } from "../lib/time.ts";
import { type ListedProject, ProjectList, type ProjectOwner, type UserOwner } from "./projects-schema.ts";
import { COUNTS, EXPIRED, toHealth } from "./projects-store.ts";

export const listProjects = GET({
  id: "getProjects",
  summary: "The live or the archived projects",
  tag: "Projects",
  path: "/api/admin/projects",
  permission: null,
  query: v.object({ archived: v.optional(v.picklist(["true", "false"]), "false") }),
  response: ProjectList,
}).run(({ db, actor, query }) => ({
  version: 1 as const,
  projects: listedProjects(db, {
    userId: actor.userId,
    hidden: JSON.stringify(hiddenProjects(db, actor)),
    archived: query.archived === "true" ? 1 : 0,
    now: new Date(startOfMinute()).toISOString(),
  }),
}));

interface Wanted {
  userId: number | null;
  hidden: string;
  archived: 0 | 1;
  now: string;
}

/** By name. */
function listedProjects(db: Database, wanted: Wanted): Wire<ListedProject>[] {
  const owners = Map.groupBy(allOwners(db).all({}), ({ project }) => project);
  return listed(db)
    .all(wanted)
    .map(({ unhealthyCount, ...row }) => ({
      ...row,
      ...toHealth({ ...row, unhealthyCount }),
      favorite: row.favorite === 1,
      owners: toOwners(owners.get(row.id)),
    }));
}

type Row = Stored<Omit<ListedProject, "health" | "technicalDebt" | "owners">> & { unhealthyCount: number };

const listed = query<Wanted, Row>(`
  WITH ${EXPIRED}
  SELECT projects.name, projects.id, projects.description, ${COUNTS},
    EXISTS (SELECT 1 FROM project_favorites WHERE project = projects.id AND user_id = :userId) AS favorite,
    projects.created_at AS createdAt, projects.archived_at AS archivedAt, mode,
    (SELECT max(seen_at) FROM features INDEXED BY features_by_use
      WHERE project = projects.id AND seen_at IS NOT NULL) AS lastReportedFlagUsage,
    (SELECT wire ->> 'createdAt' FROM events
      WHERE events.project = projects.id AND feature_name IS NOT NULL ORDER BY events.id DESC LIMIT 1) AS lastUpdatedAt
  FROM projects
  WHERE (projects.archived_at IS NOT NULL) = :archived
    AND projects.id NOT IN (SELECT value FROM json_each(:hidden))
  ORDER BY projects.name, projects.id`);

const ownersIn = (projects: string) => `
  SELECT project, users.id, name, username, email, image_url AS imageUrl
  FROM project_user_roles JOIN users ON users.id = user_id WHERE role_id = ${ROLES.owner} AND ${projects}
  UNION ALL
  SELECT project, NULL AS id, name, NULL, NULL, NULL
  FROM project_group_roles JOIN groups ON groups.id = group_id WHERE role_id = ${ROLES.owner} AND ${projects}
  ORDER BY id NULLS LAST, name`;

const allOwners = query<object, PersonRow & { project: string }>(ownersIn("true"));

const ownersOfOne = query<{ project: string }, PersonRow>(ownersIn("project = :project"));
export const ownersOf = (db: Database, project: string) => toOwners(ownersOfOne(db).all({ project }));

/** Users by id, then groups by name; a project without owners belongs to the system. */
const toOwners = (rows: readonly PersonRow[] = []): Wire<ProjectOwner>[] =>
  rows.length > 0 ? rows.map(toOwner) : [{ ownerType: "system" }];

/** A group has no id. */
const toOwner = (row: PersonRow): Wire<ProjectOwner> =>
  row.id === null ? { ownerType: "group", name: row.name! } : toUserOwner(row);

export const toUserOwner = (user: PersonRow): Wire<UserOwner> => ({
  ownerType: "user",
  name: user.name ?? user.username ?? user.email ?? `user ${user.id}`,
  email: user.email,
  imageUrl: imageUrlOf(user),
});
