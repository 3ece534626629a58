import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { NewGroup } from "./schema.ts";
import { groupById } from "./store.ts";

export interface GroupRow {
  /** Null for the next free id. */
  id: number | null;
  name: string;
  description: string | null;
  rootRole: number | null;
  createdAt: string;
  createdBy: string | null;
  /** As JSON. */
  mappingsSSO: string;
}

export const insertGroup = command<GroupRow>(`
  INSERT INTO groups (id, name, description, root_role, created_at, created_by, mappings_sso)
  VALUES (:id, :name, :description, :rootRole, :createdAt, :createdBy, :mappingsSSO)`);

export const insertGroupUser = command<{ groupId: number; userId: number; joinedAt: string | null }>(`
  INSERT INTO group_users (group_id, user_id, joined_at) VALUES (:groupId, :userId, :joinedAt)`);

const update = command<Omit<GroupRow, "createdAt" | "createdBy">>(`
  UPDATE groups SET name = :name, description = :description, root_role = :rootRole, mappings_sso = :mappingsSSO
  WHERE id = :id`);

const removeOthers = command<{ groupId: number; kept: string }>(`
  DELETE FROM group_users WHERE group_id = :groupId AND user_id NOT IN (SELECT value FROM json_each(:kept))`);

const remove = command<{ id: number }>(`DELETE FROM groups WHERE id = :id`);

/** Creates a group of existing users; an SQLite constraint error if the name is taken. @returns its id */
export function createGroup(tx: Tx, group: NewGroup): number {
  const { users: _, ...row } = toRow(group);
  const created = { ...row, id: null, createdAt: tx.now, createdBy: tx.actor.createdBy };
  const id = Number(insertGroup(tx).run(created).lastInsertRowid);
  setUsers(tx, id, group.users ?? []);
  const { name, description, users, mappingsSSO } = dataOf(tx, id);
  tx.record({ type: "group-created", data: { name, description, users, mappingsSSO } });
  return id;
}

/** Changes an existing group; without `users`, its users stay. */
export function updateGroup(tx: Tx, id: number, group: NewGroup) {
  const preData = dataOf(tx, id);
  const { users: _, ...row } = toRow(group);
  update(tx).run({ ...row, id });
  if (group.users) setUsers(tx, id, group.users);
  tx.record({ type: "group-updated", data: dataOf(tx, id), preData });
}

/** Deletes an existing group, and the access its users have through it. */
export function removeGroup(tx: Tx, id: number) {
  const preData = dataOf(tx, id);
  remove(tx).run({ id });
  tx.record({ type: "group-deleted", preData });
}

const toRow = ({ mappingsSSO, ...group }: NewGroup) => ({
  ...group,
  mappingsSSO: JSON.stringify(mappingsSSO),
});

/** Users who stay keep the time they joined. */
function setUsers(tx: Tx, groupId: number, users: ReadonlyArray<{ user: { id: number } }>) {
  const ids = new Set(users.map(({ user }) => user.id));
  removeOthers(tx).run({ groupId, kept: JSON.stringify([...ids]) });
  for (const { user } of groupById(tx.db, groupId)!.users) ids.delete(user.id);
  for (const userId of ids) insertGroupUser(tx).run({ groupId, userId, joinedAt: tx.now });
}

/** The group in events: users are reduced to their ids. */
function dataOf({ db }: Tx, id: number) {
  const { users, projects: _, userCount: __, ...group } = groupById(db, id)!;
  return { ...group, users: users.map(({ joinedAt, user }) => ({ joinedAt, user: { id: user.id } })) };
}
