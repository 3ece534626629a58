import type { Pictured } from "../../access/avatar.ts";
import { type Database, query } from "../../db/statement.ts";
import { requireOwnUser } from "../users/require.ts";
import type { User } from "../users/schema.ts";
import { GROUP_COLUMNS, type GroupRow } from "./require.ts";
import type { Group } from "./schema.ts";

type PicturedGroup = Omit<Group, "users"> & {
  users: Array<{ joinedAt?: string; createdBy: string | null; user: Pictured<User> }>;
};

type Row = GroupRow & { projects: string };

const COLUMNS = `${GROUP_COLUMNS}, (
    SELECT json_group_array(project ORDER BY project) FROM (
      SELECT DISTINCT project FROM project_group_roles WHERE group_id = groups.id)) AS projects`;

const all = query<object, Row>(`SELECT ${COLUMNS} FROM groups ORDER BY id`);

const byId = query<{ id: number }, Row>(`SELECT ${COLUMNS} FROM groups WHERE id = :id`);

const membersOf = query<{ id: number }, { userId: number; joinedAt: string | null }>(`
  SELECT user_id AS userId, joined_at AS joinedAt FROM group_users WHERE group_id = :id ORDER BY user_id`);

/** All groups, by id. */
export const groups = (db: Database): PicturedGroup[] =>
  all(db)
    .all({})
    .map((row) => toGroup(db, row));

/** Undefined if there is none. */
export function groupById(db: Database, id: number): PicturedGroup | undefined {
  const row = byId(db).get({ id });
  return row && toGroup(db, row);
}

function toGroup(db: Database, { mappingsSSO, projects, ...row }: Row): PicturedGroup {
  const users = membersOf(db)
    .all({ id: row.id })
    .map(({ userId, joinedAt }) => ({
      ...(joinedAt !== null && { joinedAt }),
      createdBy: row.createdBy,
      user: requireOwnUser(db, userId),
    }));
  const lists = { mappingsSSO: JSON.parse(mappingsSSO), projects: JSON.parse(projects) };
  return { ...row, ...lists, scimId: null, users, userCount: users.length };
}
