/*
 * Every permission and who has it by default, in one place. A custom role's permissions are stored with the role; a
 * built-in one's are defined here, so that a new version can add to them.
 */

/** The ids of the built-in roles, the same in every file. */
export const ROLES = { admin: 1, editor: 2, viewer: 3, owner: 4, member: 5 } as const;

/** Where the project permissions of a root role, such as Editor, apply (original). */
export const DEFAULT_PROJECT = "default";

/**
 * What a permission applies to: the whole instance, a project, or one environment of a project. The last two come with
 * a role in the project.
 */
export type PermissionScope = "root" | "project" | "environment";

interface Definition {
  /** The original's id. */
  id: number;
  displayName: string;
  scope: PermissionScope;
  /** The built-in roles that have it besides Admin, which has all. */
  roles: readonly number[];
}

const { admin, editor, owner, member } = ROLES;

const definition = (scope: PermissionScope, id: number, displayName: string, ...roles: number[]) => ({
  id,
  displayName,
  scope,
  roles,
});

const root = definition.bind(undefined, "root");
const project = definition.bind(undefined, "project");
const environment = definition.bind(undefined, "environment");

export const PERMISSIONS = {
  ADMIN: root(1, "Admin", admin),
  CREATE_STRATEGY: root(3, "Create activation strategies", editor),
  CREATE_ADDON: root(4, "Create addons", editor),
  DELETE_ADDON: root(5, "Delete addons", editor),
  UPDATE_ADDON: root(6, "Update addons", editor),
  UPDATE_APPLICATION: root(9, "Update applications", editor),
  UPDATE_TAG_TYPE: root(10, "Update tag types", editor),
  DELETE_TAG_TYPE: root(11, "Delete tag types", editor),
  CREATE_PROJECT: root(12, "Create projects", editor),
  UPDATE_STRATEGY: root(15, "Update strategies", editor),
  DELETE_STRATEGY: root(16, "Delete strategies", editor),
  UPDATE_CONTEXT_FIELD: root(17, "Update context fields", editor),
  CREATE_CONTEXT_FIELD: root(18, "Create context fields", editor),
  DELETE_CONTEXT_FIELD: root(19, "Delete context fields", editor),
  READ_ROLE: root(20, "Read roles"),
  CREATE_SEGMENT: root(31, "Create segments", editor),
  UPDATE_SEGMENT: root(32, "Edit segments", editor),
  DELETE_SEGMENT: root(33, "Delete segments", editor),
  CREATE_CLIENT_API_TOKEN: root(50, "Create CLIENT API tokens"),
  UPDATE_CLIENT_API_TOKEN: root(51, "Update CLIENT API tokens"),
  DELETE_CLIENT_API_TOKEN: root(52, "Delete CLIENT API tokens"),
  READ_CLIENT_API_TOKEN: root(53, "Read CLIENT API tokens", editor),
  CREATE_FRONTEND_API_TOKEN: root(54, "Create FRONTEND API tokens"),
  UPDATE_FRONTEND_API_TOKEN: root(55, "Update FRONTEND API tokens"),
  DELETE_FRONTEND_API_TOKEN: root(56, "Delete FRONTEND API tokens"),
  READ_FRONTEND_API_TOKEN: root(57, "Read FRONTEND API tokens", editor),
  CREATE_TAG_TYPE: root(59, "Create tag types", editor),
  UPDATE_MAINTENANCE_MODE: root(73, "Change maintenance mode state"),
  UPDATE_INSTANCE_BANNERS: root(74, "Change instance banners"),
  READ_LOGS: root(76, "Read instance logs and login history"),
  UPDATE_CORS: root(77, "Update CORS settings"),

  // What these guard in the original is not here: a role that has them keeps them.
  RELEASE_PLAN_TEMPLATE_CREATE: root(70, "Create release plan template", editor),
  RELEASE_PLAN_TEMPLATE_UPDATE: root(71, "Update release plan template", editor),
  RELEASE_PLAN_TEMPLATE_DELETE: root(72, "Delete release plan template"),
  UPDATE_AUTH_CONFIGURATION: root(75, "Change authentication settings (SSO)"),
  UPDATE_PROJECT_RELEASE_TEMPLATE: project(79, "Create/edit project release template", owner),

  CREATE_FEATURE: project(2, "Create feature flags", editor, owner, member),
  UPDATE_FEATURE: project(7, "Update feature flags", editor, owner, member),
  DELETE_FEATURE: project(8, "Delete feature flags", editor, owner, member),
  UPDATE_PROJECT: project(13, "Update project", editor, owner),
  DELETE_PROJECT: project(14, "Delete project", editor, owner),
  UPDATE_FEATURE_VARIANTS: project(29, "Create/edit variants", editor, owner, member),
  MOVE_FEATURE_TOGGLE: project(30, "Change feature flag project", editor, owner),
  READ_PROJECT_API_TOKEN: project(42, "Read api tokens for a specific project", editor, owner, member),
  CREATE_PROJECT_API_TOKEN: project(43, "Create api tokens for a specific project", editor, owner, member),
  DELETE_PROJECT_API_TOKEN: project(44, "Delete api tokens for a specific project", editor, owner, member),
  UPDATE_PROJECT_CONTEXT: project(78, "Create/edit project context", owner),
  UPDATE_PROJECT_SEGMENT: project(45, "Create/edit project segment", owner),
  UPDATE_FEATURE_DEPENDENCY: project(58, "Update feature dependency", editor, owner, member),
  PROJECT_USER_ACCESS_READ: project(60, "View only access to Project User Access", owner),
  PROJECT_DEFAULT_STRATEGY_READ: project(61, "View only access to default strategy configuration", owner),
  PROJECT_CHANGE_REQUEST_READ: project(62, "View only access to change request configuration", owner),
  PROJECT_SETTINGS_READ: project(63, "View only access to project settings", owner),
  PROJECT_USER_ACCESS_WRITE: project(64, "Write access to Project User Access", owner),
  PROJECT_DEFAULT_STRATEGY_WRITE: project(65, "Write access to default strategy configuration", owner),
  PROJECT_CHANGE_REQUEST_WRITE: project(66, "Write access to change request configuration", owner),
  PROJECT_SETTINGS_WRITE: project(67, "Write access to project settings", owner),

  CREATE_FEATURE_STRATEGY: environment(25, "Create activation strategies", editor, owner, member),
  UPDATE_FEATURE_STRATEGY: environment(26, "Update activation strategies", editor, owner, member),
  DELETE_FEATURE_STRATEGY: environment(27, "Delete activation strategies", editor, owner, member),
  UPDATE_FEATURE_ENVIRONMENT: environment(28, "Enable/disable flags", editor, owner, member),
  UPDATE_FEATURE_ENVIRONMENT_VARIANTS: environment(34, "Update variants", editor, owner, member),
  APPROVE_CHANGE_REQUEST: environment(35, "Approve and reject change requests"),
  APPLY_CHANGE_REQUEST: environment(36, "Apply change requests"),
  SKIP_CHANGE_REQUEST: environment(38, "Skip change requests"),
} as const satisfies Record<string, Definition>;

export type Permission = keyof typeof PERMISSIONS;

/** A built-in role's permissions, by name. */
export const permissionsOfBuiltIn = (role: number): Permission[] =>
  (Object.keys(PERMISSIONS) as Permission[])
    .filter((name) => (PERMISSIONS[name].roles as readonly number[]).includes(role))
    .sort();
