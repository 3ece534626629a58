import { ROLES } from "../access/permissions.ts";
import { imageUrlOf } from "../access/person.ts";
import { type Database, query } from "../db/statement.ts";
import { startOfMinute } from "../lib/minute.ts";
import type { Wire } from "../lib/raw-json.ts";
import type { FlagCreator, ListedProject } from "./projects-schema.ts";
import { COUNTS, EXPIRED, MEMBER_COUNT, toHealth } from "./projects-store.ts";

type Row = Omit<ListedProject, "health" | "favorite" | "owners"> & {
  unhealthyCount: number;
  favorite: 0 | 1;
};

const listed = query<{ userId: number | null; hidden: string; archived: 0 | 1; now: string }, Row>(`
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

interface OwnerRow {
  project: string;
  /** Null for a group. */
  id: number | null;
  name: string | null;
  username: string | null;
  email: string | null;
  imageUrl: string | null;
}

const owners = query<object, OwnerRow>(`
  SELECT project, users.id, name, username, email, image_url AS imageUrl
  FROM project_user_roles JOIN users ON users.id = user_id WHERE role_id = ${ROLES.owner}
  UNION ALL
  SELECT project, NULL AS id, name, NULL, NULL, NULL
  FROM project_group_roles JOIN groups ON groups.id = group_id WHERE role_id = ${ROLES.owner}
  ORDER BY id NULLS LAST, name`);

const creators = query<{ id: string }, FlagCreator>(`
  SELECT DISTINCT users.id, coalesce(users.name, username, email, 'user ' || users.id) AS name
  FROM features JOIN users ON users.id = created_by_user_id
  WHERE project = :id AND features.archived_at IS NULL ORDER BY 2, 1`);

const members = query<{ id: string }, number>(`SELECT ${MEMBER_COUNT} FROM projects WHERE id = :id`);

/** The creators of a project's live flags, by name. */
export const flagCreators = (db: Database, id: string): FlagCreator[] => creators(db).all({ id });

/** The number of users with a role in a project. */
export const memberCount = (db: Database, id: string): number => members(db).pluck().get({ id })!;

interface ListOptions {
  userId: number | null;
  hidden: readonly string[];
  /** Lists archived projects instead of live ones. */
  archived: boolean;
}

/** The visible projects, by name. */
export function listedProjects(
  db: Database,
  { userId, hidden, archived }: ListOptions,
): Wire<ListedProject>[] {
  const ownersOf = Map.groupBy(owners(db).all({}), ({ project }) => project);
  const now = new Date(startOfMinute()).toISOString();
  return listed(db)
    .all({ userId, hidden: JSON.stringify(hidden), archived: archived ? 1 : 0, now })
    .map(({ unhealthyCount, ...row }) => ({
      ...row,
      health: toHealth({ ...row, unhealthyCount }),
      favorite: row.favorite === 1,
      owners: ownersOf.get(row.id)?.map(toOwner) ?? [{ ownerType: "system" as const }],
    }));
}

const toOwner = ({ id, name, username, email, imageUrl }: OwnerRow): Wire<ListedProject["owners"][number]> =>
  id === null
    ? { ownerType: "group", name: name! }
    : {
        ownerType: "user",
        name: name ?? username ?? email ?? `user ${id}`,
        email,
        imageUrl: imageUrlOf({ id, username, email, imageUrl }),
      };
