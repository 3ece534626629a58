import type { Line } from "./dataset.ts";

/** The author of a change: a user, or the service token. */
export interface Caller {
  userId: number | null;
  createdBy: string;
  createdByUserId: number;
}

export const SERVICE_NAME = "the robot";

export function callerOf(lines: Line[], userId: number | null): Caller {
  if (userId === null) return { userId, createdBy: SERVICE_NAME, createdByUserId: -42 };
  const user = lines.find((line) => line.kind === "user" && line.id === userId)!;
  const createdBy = user.email ?? user.username ?? user.name ?? `user ${userId}`;
  return { userId, createdBy, createdByUserId: userId };
}

const [ADMIN, EDITOR, OWNER, MEMBER, CUSTOM_ADMIN] = [1, 2, 4, 5, 6];

const groupsOf = (lines: Line[], userId: number | null) =>
  lines.filter((line) => line.kind === "group" && line.users.includes(userId));

const rootRoles = (lines: Line[], userId: number | null): number[] =>
  [...lines.filter((line) => line.kind === "user" && line.id === userId), ...groupsOf(lines, userId)].map(
    (line) => line.rootRole,
  );

/** The roles of a user in a project, directly and through groups. */
export const projectRoles = (lines: Line[], userId: number | null, project: string): number[] =>
  lines
    .filter(
      (line) =>
        line.kind === "projectRole" &&
        line.project === project &&
        ((userId !== null && line.user === userId) ||
          groupsOf(lines, userId).some(({ id }) => id === line.group)),
    )
    .map(({ role }) => role);

export const isAdmin = (lines: Line[], { userId }: Caller) =>
  userId === null || rootRoles(lines, userId).some((role) => role === ADMIN || role === CUSTOM_ADMIN);

export const mayCreateProjects = (lines: Line[], caller: Caller) =>
  isAdmin(lines, caller) || rootRoles(lines, caller.userId).includes(EDITOR!);

export function isVisible(lines: Line[], caller: Caller, project: string) {
  const found = lines.find((line) => line.kind === "project" && line.id === project);
  return (
    found?.mode !== "private" ||
    isAdmin(lines, caller) ||
    projectRoles(lines, caller.userId, project).length > 0
  );
}

/** Whether a project, which may not exist, is visible and grants a permission; an Editor has all, but only in `default`. */
export function mayInProject(
  lines: Line[],
  caller: Caller,
  permission: string,
  project: string,
  environment?: string,
) {
  if (isAdmin(lines, caller)) return true;
  if (!isVisible(lines, caller, project)) return false;
  if (project === "default" && rootRoles(lines, caller.userId).includes(EDITOR!)) return true;
  const roles = projectRoles(lines, caller.userId, project);
  if (roles.includes(OWNER!) || roles.includes(MEMBER!)) return true;
  const custom = lines.filter((line) => line.kind === "role" && roles.includes(line.id));
  return custom
    .flatMap((role) => role.permissions as Array<{ name: string; environment?: string }>)
    .some((one) => one.name === permission && (one.environment ?? environment) === environment);
}
