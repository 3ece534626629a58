import { type Database, query } from "../../db/statement.ts";
import type { BasicGroup } from "./schema.ts";

/** A group's own columns; `mappingsSSO` is JSON. */
export const GROUP_COLUMNS = `groups.id, groups.name, groups.description, mappings_sso AS mappingsSSO,
  groups.root_role AS rootRole, created_by AS createdBy, groups.created_at AS createdAt`;

export type GroupRow = Omit<BasicGroup, "mappingsSSO" | "scimId" | "userCount"> & { mappingsSSO: string };

const all = query<object, GroupRow & { userCount: number }>(`
  SELECT ${GROUP_COLUMNS}, (SELECT count(*) FROM group_users WHERE group_id = groups.id) AS userCount
  FROM groups ORDER BY id`);

/** All groups by id, to choose from. */
export const basicGroups = (db: Database): BasicGroup[] =>
  all(db)
    .all({})
    .map(({ mappingsSSO, ...row }) => ({ ...row, mappingsSSO: JSON.parse(mappingsSSO), scimId: null }));
