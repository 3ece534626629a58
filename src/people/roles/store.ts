import { PERMISSIONS, type Permission, permissionsOfBuiltIn } from "../../access/permissions.ts";
import { type Database, query } from "../../db/statement.ts";
import { ROLE_COLUMNS, roleById } from "./require.ts";
import type { AllPermissions, PermissionDefinition, Role, RoleDetails } from "./schema.ts";

const all = query<object, Role>(`SELECT ${ROLE_COLUMNS} FROM roles ORDER BY id`);

const stored = query<{ id: number }, { name: string; environment: string | null }>(`
  SELECT name, environment FROM role_permissions WHERE role_id = :id ORDER BY name, environment`);

const users = query<{ id: number }>(`
  SELECT 1 FROM users WHERE root_role = :id
  UNION ALL SELECT 1 FROM groups WHERE root_role = :id
  UNION ALL SELECT 1 FROM project_user_roles WHERE role_id = :id
  UNION ALL SELECT 1 FROM project_group_roles WHERE role_id = :id
  LIMIT 1`);

const environments = query<object, string>(`SELECT name FROM environments ORDER BY sort_order, name`);

/** All roles, by id. */
export const roles = (db: Database): Role[] => all(db).all({});

/** A role and its permissions; undefined if there is none. */
export function roleDetails(db: Database, id: number): RoleDetails | undefined {
  const role = roleById(db, id);
  if (!role) return undefined;
  const builtIn = permissionsOfBuiltIn(id).map((name) => toDefinition(name));
  const assigned = stored(db)
    .all({ id })
    .filter(({ name }) => name in PERMISSIONS) // a dataset may contain other permissions, which have no effect here
    .map(({ name, environment }) => toDefinition(name as Permission, environment));
  return { ...role, permissions: [...builtIn, ...assigned] };
}

/** Whether anyone has the role. */
export const isInUse = (db: Database, id: number) => users(db).get({ id }) !== undefined;

/** All existing permissions, with those for environments listed per environment. */
export function allPermissions(db: Database): AllPermissions {
  const names = Object.keys(PERMISSIONS) as Permission[];
  const of = (scope: string) => names.filter((name) => PERMISSIONS[name].scope === scope);
  return {
    root: of("root").map((name) => toDefinition(name)),
    project: of("project").map((name) => toDefinition(name)),
    environments: environments(db)
      .pluck()
      .all({})
      .map((environment) => ({
        name: environment,
        permissions: of("environment").map((name) => toDefinition(name, environment)),
      })),
  };
}

const toDefinition = (name: Permission, environment: string | null = null): PermissionDefinition => ({
  id: PERMISSIONS[name].id,
  name,
  displayName: PERMISSIONS[name].displayName,
  type: PERMISSIONS[name].scope,
  ...(environment !== null && { environment }),
});
