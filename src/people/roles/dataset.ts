import * as v from "valibot";
import { permissionsOfBuiltIn } from "../../access/permissions.ts";
import {
  Id,
  kind,
  LineError,
  Name,
  OptionalText,
  optional,
  requireKnown,
  withoutNulls,
} from "../../dataset/kind.ts";
import { type Database, query } from "../../db/statement.ts";
import { insertRole, insertRolePermission } from "./changes.ts";

const Role = v.strictObject({
  id: Id,
  name: Name,
  type: v.picklist(["root", "project", "custom", "custom-root"]),
  description: OptionalText,
  permissions: v.optional(v.array(v.strictObject({ name: Name, environment: optional(Name) })), []),
});
type Role = v.InferOutput<typeof Role>;

/** Roles 1 to 5 exist in every file. */
const BUILT_IN = 5;

const sameRole = query<Omit<Role, "permissions">>(`
  SELECT 1 FROM roles
  WHERE id = :id AND name = :name AND type = :type AND ifnull(:description, description) = description`);

const all = query<object, Omit<Role, "permissions">>(`
  SELECT id, name, type, description FROM roles WHERE id > ${BUILT_IN} ORDER BY id`);

const permissionsOf = query<{ roleId: number }, { name: string; environment: string | null }>(`
  SELECT name, environment FROM role_permissions WHERE role_id = :roleId ORDER BY name, environment`);

export const role = kind({
  name: "role",
  schema: Role,
  insert({ tx, db }, { permissions, ...row }) {
    if (row.id <= BUILT_IN) return requireUnchanged(db, { permissions, ...row });
    insertRole(tx).run(row);
    for (const [index, permission] of permissions.entries()) {
      const { environment } = permission;
      if (environment !== null)
        requireKnown(db, "environment", environment, `permissions.${index}.environment`);
      insertRolePermission(tx).run({ roleId: row.id, ...permission });
    }
  },
  *rows(db) {
    for (const row of all(db).all({})) {
      const permissions = permissionsOf(db).all({ roleId: row.id }).map(withoutNulls);
      yield { ...withoutNulls(row), permissions };
    }
  },
});

/** A built-in role may be repeated; a description and permissions, if given, must be its own. */
function requireUnchanged(db: Database, { permissions, ...row }: Role) {
  const builtIn = permissionsOfBuiltIn(row.id).map((name) => ({ name, environment: null }));
  const isSame = permissions.length === 0 || JSON.stringify(permissions) === JSON.stringify(builtIn);
  if (isSame && sameRole(db).get(row)) return;
  throw new LineError(`id: the role ${row.id} is built in and can't be changed`);
}
