import type { Pictured } from "../../access/avatar.ts";
import { ROLES } from "../../access/permissions.ts";
import { type Database, query } from "../../db/statement.ts";
import type { AdminCount, BasicUser, FoundUser, InactiveUser, User, UserAccess } from "./schema.ts";
import { COLUMNS, set, toUser, type UserRow } from "./store.ts";

const everyone = query<object, Pick<UserRow, "id" | "name" | "username" | "email" | "accountType">>(`
  SELECT id, name, username, email, account_type AS accountType FROM users ORDER BY id`);

// SQLite's own functions handle letter case only in ASCII, so names are compared in JavaScript.
const persons = query<object, UserRow>(`
  SELECT ${COLUMNS} FROM users WHERE account_type = 'User' ORDER BY id`);

const admins = query<object, AdminCount>(`
  SELECT count(*) FILTER (WHERE account_type = 'User' AND password_hash IS NOT NULL) AS password,
    count(*) FILTER (WHERE account_type = 'User' AND password_hash IS NULL) AS noPassword,
    count(*) FILTER (WHERE account_type <> 'User') AS service
  FROM users WHERE root_role = ${ROLES.admin}`);

const inactive = query<{ before: string }, InactiveUser>(`
  SELECT * FROM (
    SELECT id, name, username, email, seen_at AS seenAt, created_at AS createdAt,
      (SELECT max(seen_at) FROM tokens WHERE user_id = users.id) AS patSeenAt
    FROM users WHERE account_type = 'User' AND coalesce(seen_at, created_at) < :before)
  WHERE ifnull(patSeenAt, '') < :before ORDER BY id`);

/** Lists as JSON. */
type AccessRow = Omit<UserAccess, AccessList> & Record<AccessList, string>;
type AccessList = "accessibleProjects" | "groups" | "groupProjects";

const accessRows = query<object, AccessRow>(`
  SELECT users.id AS userId, users.created_at AS createdAt, users.name AS userName, email AS userEmail,
    seen_at AS lastSeen, roles.name AS rootRole,
    (SELECT json_group_array(DISTINCT project ORDER BY project) FROM project_user_roles WHERE user_id = users.id)
      AS accessibleProjects,
    (SELECT json_group_array(groups.name ORDER BY groups.name)
      FROM group_users JOIN groups ON groups.id = group_id WHERE user_id = users.id) AS groups,
    (SELECT json_group_array(DISTINCT project ORDER BY project)
      FROM group_users JOIN project_group_roles USING (group_id) WHERE user_id = users.id) AS groupProjects
  FROM users JOIN roles ON roles.id = root_role ORDER BY users.id`);

/** What each user and service account can reach, by id. */
export const accessOfAll = (db: Database): UserAccess[] =>
  accessRows(db)
    .all({})
    .map(({ accessibleProjects, groups, groupProjects, ...row }) => ({
      ...row,
      accessibleProjects: JSON.parse(accessibleProjects),
      groups: JSON.parse(groups),
      groupProjects: JSON.parse(groupProjects),
    }));

/** All users and service accounts, by id. */
export const basicUsers = (db: Database): BasicUser[] =>
  everyone(db)
    .all({})
    .map(({ email, ...row }) => ({ ...row, ...set({ email }) }));

/** Users whose name contains the text, or whose username or e-mail address begins with it, in any letter case. */
export function usersLike(db: Database, text: string): Array<Pictured<FoundUser>> {
  const searched = text.toLowerCase();
  const found = ({ name, username, email }: UserRow) =>
    name?.toLowerCase().includes(searched) ||
    [username, email].some((login) => login?.toLowerCase().startsWith(searched));
  return persons(db)
    .all({})
    .filter(found)
    .map((row) => toFound(toUser(row)));
}

const toFound = (user: Pictured<User>): Pictured<FoundUser> => {
  const {
    inviteLink: _,
    loginAttempts: __,
    emailSent: ___,
    rootRole: ____,
    createdAt: _____,
    ...found
  } = user;
  return found;
};

export const adminCount = (db: Database): AdminCount => admins(db).get({})!;

/** Users who have not been seen since a time, nor any of their tokens. @param before RFC 3339 */
export const inactiveUsers = (db: Database, before: string): InactiveUser[] => inactive(db).all({ before });
