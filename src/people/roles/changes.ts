import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { RoleDetails, RolePermission } from "./schema.ts";
import { roleDetails } from "./store.ts";

export interface RoleRow {
  /** Null for the next free id. */
  id: number | null;
  name: string;
  type: string;
  description: string | null;
}

export const insertRole = command<RoleRow>(`
  INSERT INTO roles (id, name, type, description) VALUES (:id, :name, :type, :description)`);

export const insertRolePermission = command<{ roleId: number; name: string; environment: string | null }>(`
  INSERT INTO role_permissions (role_id, name, environment) VALUES (:roleId, :name, :environment)`);

const update = command<{ id: number; name: string; description: string | null }>(`
  UPDATE roles SET name = :name, description = :description WHERE id = :id`);

const remove = command<{ id: number }>(`DELETE FROM roles WHERE id = :id`);

const removePermissions = command<{ roleId: number }>(`DELETE FROM role_permissions WHERE role_id = :roleId`);

interface Content {
  name: string;
  description: string | null;
  permissions: readonly RolePermission[];
}

/** Creates a custom role; an SQLite constraint error if the name is taken. @returns its id */
export function createRole(tx: Tx, type: "custom" | "custom-root", role: Content): number {
  const { name, description, permissions } = role;
  const id = Number(insertRole(tx).run({ id: null, name, type, description }).lastInsertRowid);
  setPermissions(tx, id, permissions);
  tx.record({ type: "role-created", data: dataOf(tx, id) });
  return id;
}

/** Replaces all properties of an existing custom role. */
export function updateRole(tx: Tx, id: number, { name, description, permissions }: Content) {
  const preData = dataOf(tx, id);
  update(tx).run({ id, name, description });
  removePermissions(tx).run({ roleId: id });
  setPermissions(tx, id, permissions);
  tx.record({ type: "role-updated", data: dataOf(tx, id), preData });
}

/** Deletes a custom role that is not in use. */
export function removeRole(tx: Tx, id: number) {
  const preData = dataOf(tx, id);
  remove(tx).run({ id });
  tx.record({ type: "role-deleted", preData });
}

function setPermissions(tx: Tx, roleId: number, permissions: readonly RolePermission[]) {
  for (const { name, environment } of permissions)
    insertRolePermission(tx).run({ roleId, name, environment });
}

/** The role in events. */
function dataOf({ db }: Tx, id: number) {
  const { permissions, ...role } = roleDetails(db, id) as RoleDetails;
  return {
    ...role,
    permissions: permissions.map(({ id, name, environment = null }) => ({ id, name, environment })),
  };
}
