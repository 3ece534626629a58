import { isKnown } from "../../db/known.ts";
import { type Database, query } from "../../db/statement.ts";
import { ApiError, invalid } from "../../lib/api-error.ts";
import { requireRootRole } from "../roles/require.ts";
import type { BasicGroup, NewGroup } from "./schema.ts";

/** A group's own columns; `mappingsSSO` is JSON. */
export const GROUP_COLUMNS = `groups.id, groups.name, groups.description, mappings_sso AS mappingsSSO,
  groups.root_role AS rootRole, created_by AS createdBy, groups.created_at AS createdAt`;

export type GroupRow = Omit<BasicGroup, "mappingsSSO" | "scimId" | "userCount"> & { mappingsSSO: string };

const all = query<object, GroupRow & { userCount: number }>(`
  SELECT ${GROUP_COLUMNS}, (SELECT count(*) FROM group_users WHERE group_id = groups.id) AS userCount
  FROM groups ORDER BY id`);

/** All groups by id, for selection lists. */
export const basicGroups = (db: Database): BasicGroup[] =>
  all(db)
    .all({})
    .map(({ mappingsSSO, ...row }) => ({ ...row, mappingsSSO: JSON.parse(mappingsSSO), scimId: null }));

/** @throws ApiError `NotFoundError` */
export function requireGroup(db: Database, id: number) {
  if (!isKnown(db, "group", id)) throw new ApiError("NotFoundError", `There is no group with the id ${id}`);
}

/** Checks that the role and the users exist. @throws ApiError `ValidationError` */
export function requireGroupParts(db: Database, { rootRole, users = [] }: NewGroup) {
  if (rootRole !== null) requireRootRole(db, rootRole);
  const index = users.findIndex(({ user }) => !isKnown(db, "user", user.id));
  if (index < 0) return;
  throw invalid({ path: `body.users.${index}.user.id`, message: "is not the id of a user" });
}
