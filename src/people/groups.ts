import * as v from "valibot";
import { Id, kind, Name, OptionalText, OptionalTime, optional } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { command, fromStored, query, type Stored, toStored } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST, PUT } from "../http/operation.ts";
import { found, invalid } from "../lib/api-error.ts";
import { NonEmptyText, ShortText, Time, Timestamp } from "../lib/validation.ts";
import { requireRootRole } from "./roles.ts";
import { BasicUser, User } from "./users-schema.ts";
import { toUser, USER_COLUMNS, type UserRow } from "./users-store.ts";

const Member = v.strictObject({
  joinedAt: v.optional(Timestamp),
  createdBy: v.nullable(v.string()),
  user: User,
});

/** A group with its members; `mappingsSSO` has its names in other systems, whose people join and leave it at sign-in. */
export const Group = v.strictObject({
  id: v.pipe(v.number(), v.integer()),
  name: v.string(),
  description: v.nullable(v.string()),
  mappingsSSO: v.array(v.string()),
  rootRole: v.nullable(v.number()),
  createdBy: v.nullable(v.string()),
  createdAt: Timestamp,
  scimId: v.null(),
  users: v.array(Member),
  projects: v.array(v.string()),
  userCount: v.number(),
});
type Group = v.InferOutput<typeof Group>;
export const BasicGroup = v.omit(Group, ["users", "projects"]);

export const UsersAndGroups = v.strictObject({ users: v.array(BasicUser), groups: v.array(BasicGroup) });
export const GroupId = v.pipe(v.string(), v.regex(/^[0-9]+$/, "must be a whole number"), v.transform(Number));
export const NewGroup = v.object({
  name: v.pipe(NonEmptyText, v.trim(), v.nonEmpty("must not be empty")),
  description: v.nullish(ShortText, null),
  mappingsSSO: v.optional(v.array(ShortText), []),
  rootRole: v.nullish(v.pipe(v.number(), v.safeInteger()), null),
  users: v.optional(v.array(v.object({ user: v.object({ id: v.pipe(v.number(), v.safeInteger()) }) }))),
});
type NewGroup = v.InferOutput<typeof NewGroup>;

const ofGroups = { tag: "Groups", path: "/api/admin/groups", permission: "ADMIN" } as const;

const ofGroup = { ...ofGroups, path: `${ofGroups.path}/:id`, params: v.object({ id: GroupId }) } as const;

export const listGroups = GET({
  ...ofGroups,
  id: "getGroups",
  summary: "All groups with their members",
  response: v.strictObject({ groups: v.array(Group) }),
}).run(({ db }) => ({
  groups: all(db)
    .all({})
    .map((row) => toGroup(db, row)),
}));

export const readGroup = GET({
  ...ofGroup,
  id: "getGroup",
  summary: "A group with its members",
  errors: ["NotFoundError"],
  volatile: ["seenAt", "loginAttempts"],
  response: Group,
}).run(({ db, params: { id } }) => groupById(db, id));

export const createGroup = POST({
  ...ofGroups,
  id: "createGroup",
  summary: "Create a group",
  body: NewGroup,
  status: 201,
  errors: ["NameExistsError"],
  records: ["group-created"],
  response: Group,
  example: { name: "Night shift", users: [{ user: { id: 3 } }] },
}).change(({ tx, body }) => {
  requireGroupParts(tx.db, body);
  const { users = [], ...row } = body;
  const created = { ...row, id: null, createdAt: tx.now, createdBy: tx.actor.createdBy };
  const id = Number(insert(tx).run(toStored(created)).lastInsertRowid);
  setUsers(tx, id, users);
  const { name, description, users: members, mappingsSSO } = dataOf(tx, id);
  tx.record({ type: "group-created", data: { name, description, users: members, mappingsSSO } });
  return groupById(tx.db, id);
});

export const updateGroup = PUT({
  ...ofGroup,
  id: "updateGroup",
  summary: "Change a group; without users in the body, its members stay",
  body: NewGroup,
  errors: ["NotFoundError", "NameExistsError"],
  records: ["group-updated"],
  response: Group,
  example: { name: "Late shift", users: [{ user: { id: 2 } }] },
}).change(({ tx, params: { id }, body }) => {
  const preData = dataOf(tx, id);
  requireGroupParts(tx.db, body);
  const { users, ...row } = body;
  update(tx).run(toStored({ ...row, id }));
  if (users) setUsers(tx, id, users);
  tx.record({ type: "group-updated", data: dataOf(tx, id), preData });
  return groupById(tx.db, id);
});

export const deleteGroup = DELETE({
  ...ofGroup,
  id: "deleteGroup",
  summary: "Delete a group, and the access its users have through it",
  errors: ["NotFoundError"],
  records: ["group-deleted"],
}).change(({ tx, params: { id } }) => {
  const preData = dataOf(tx, id);
  remove(tx).run({ id });
  tx.record({ type: "group-deleted", preData });
});

export const listUsersAndGroups = GET({
  id: "getBaseUsersAndGroups",
  summary: "All users and groups, for selection lists",
  tag: "Users",
  path: "/api/admin/user-admin/access",
  permission: null,
  response: UsersAndGroups,
}).run(({ db }) => ({
  users: everyone(db).all({}).map(toBasicUser),
  groups: basicGroups(db).all({}).map(toBasicGroup),
}));

const everyone = query<object, BasicUserRow>(`
  SELECT id, name, username, email, account_type AS accountType FROM users ORDER BY id`);

type BasicUserRow = Omit<v.InferOutput<typeof BasicUser>, "email"> & { email: string | null };

const toBasicUser = ({ email, ...row }: BasicUserRow) => ({ ...row, ...(email !== null && { email }) });

/** A group's own columns; `mappingsSSO` is JSON. */
const COLUMNS = `groups.id, groups.name, groups.description, mappings_sso AS mappingsSSO,
  groups.root_role AS rootRole, created_by AS createdBy, groups.created_at AS createdAt`;

type BasicRow = Stored<Omit<Group, "scimId" | "users" | "projects" | "userCount">>;

const basicGroups = query<object, BasicRow & { userCount: number }>(`
  SELECT ${COLUMNS}, (SELECT count(*) FROM group_users WHERE group_id = groups.id) AS userCount
  FROM groups ORDER BY id`);

const toBasicGroup = (row: BasicRow & { userCount: number }) => ({ ...fromRow(row), scimId: null });

const fromRow = fromStored(Group);

const PROJECTS = `(SELECT json_group_array(project ORDER BY project) FROM (
    SELECT DISTINCT project FROM project_group_roles WHERE group_id = groups.id)) AS projects`;

type Row = BasicRow & { projects: string };

const all = query<object, Row>(`SELECT ${COLUMNS}, ${PROJECTS} FROM groups ORDER BY id`);

const byId = query<{ id: number }, Row>(`SELECT ${COLUMNS}, ${PROJECTS} FROM groups WHERE id = :id`);

const membersOf = query<{ id: number }, UserRow & { joinedAt: string | null }>(`
  SELECT ${USER_COLUMNS}, joined_at AS joinedAt FROM group_users JOIN users ON users.id = user_id
  WHERE group_id = :id ORDER BY user_id`);

/** @throws ApiError `NotFoundError` */
export const requireGroup = (db: Database, id: number) =>
  found(byId(db).get({ id }), `group with the id ${id}`);

const groupById = (db: Database, id: number) => toGroup(db, requireGroup(db, id));

function toGroup(db: Database, row: Row) {
  const users = membersOf(db)
    .all({ id: row.id })
    .map(({ joinedAt, ...user }) => ({
      ...(joinedAt !== null && { joinedAt }),
      createdBy: row.createdBy,
      user: toUser(user),
    }));
  return { ...fromRow(row), scimId: null, users, userCount: users.length };
}

/** Checks that the role and the users exist. @throws ApiError `ValidationError` */
function requireGroupParts(db: Database, { rootRole, users = [] }: NewGroup) {
  if (rootRole !== null) requireRootRole(db, rootRole);
  const index = users.findIndex(({ user }) => !isKnown(db, "user", user.id));
  if (index < 0) return;
  throw invalid({ path: `body.users.${index}.user.id`, message: "is not the id of a user" });
}

type NewRow = Omit<BasicRow, "id"> & {
  /** Null for the next free id. */
  id: number | null;
};

const insert = command<NewRow>(`
  INSERT INTO groups (id, name, description, root_role, created_at, created_by, mappings_sso)
  VALUES (:id, :name, :description, :rootRole, :createdAt, :createdBy, :mappingsSSO)`);

const insertMember = command<{ groupId: number; userId: number; joinedAt: string | null }>(`
  INSERT INTO group_users (group_id, user_id, joined_at) VALUES (:groupId, :userId, :joinedAt)`);

const update = command<Omit<NewRow, "createdAt" | "createdBy">>(`
  UPDATE groups SET name = :name, description = :description, root_role = :rootRole, mappings_sso = :mappingsSSO
  WHERE id = :id`);

const removeOthers = command<{ groupId: number; kept: string }>(`
  DELETE FROM group_users WHERE group_id = :groupId AND user_id NOT IN (SELECT value FROM json_each(:kept))`);

const remove = command<{ id: number }>(`DELETE FROM groups WHERE id = :id`);

/** Users who stay keep the time they joined. */
function setUsers(tx: Tx, groupId: number, users: ReadonlyArray<{ user: { id: number } }>) {
  const ids = new Set(users.map(({ user }) => user.id));
  removeOthers(tx).run({ groupId, kept: JSON.stringify([...ids]) });
  for (const { id } of membersOf(tx.db).all({ id: groupId })) ids.delete(id);
  for (const userId of ids) insertMember(tx).run({ groupId, userId, joinedAt: tx.now });
}

const changedBy = query<{ userId: number; names: string }, { id: number; isMember: 0 | 1 }>(`
  SELECT id, isMember FROM (
    SELECT id, EXISTS (SELECT 1 FROM group_users WHERE group_id = id AND user_id = :userId) AS isMember,
      EXISTS (SELECT 1 FROM json_each(mappings_sso)
        WHERE value IN (SELECT value FROM json_each(:names))) AS isNamed
    FROM groups WHERE mappings_sso <> '[]')
  WHERE isMember <> isNamed ORDER BY id`);

const removeMember = command<{ groupId: number; userId: number }>(`
  DELETE FROM group_users WHERE group_id = :groupId AND user_id = :userId`);

/** Joins the groups with these names in another system, and leaves those without; groups that have none there stay. */
export function syncGroups(tx: Tx, userId: number, names: readonly string[]) {
  for (const { id: groupId, isMember } of changedBy(tx.db).all({ userId, names: JSON.stringify(names) })) {
    const data = { groupId, userId };
    if (isMember) removeMember(tx).run(data);
    else insertMember(tx).run({ ...data, joinedAt: tx.now });
    if (isMember) tx.record({ type: "group-user-removed", preData: data });
    else tx.record({ type: "group-user-added", data });
  }
}

/** The group in events: users are reduced to their ids. @throws ApiError `NotFoundError` */
function dataOf({ db }: Tx, id: number) {
  const { users, projects: _, userCount: __, ...group } = groupById(db, id);
  return { ...group, users: users.map(({ joinedAt, user }) => ({ joinedAt, user: { id: user.id } })) };
}

const GroupLine = v.strictObject({
  id: Id,
  name: Name,
  description: OptionalText,
  users: v.optional(v.array(Id), []),
  joined: v.optional(v.array(v.strictObject({ user: Id, at: Time })), []),
  rootRole: optional(Id),
  createdAt: OptionalTime,
  createdBy: OptionalText,
  mappingsSSO: v.optional(v.array(ShortText), []),
});

const lines = query<object, object>(`
  SELECT id, name, description, root_role AS rootRole, created_at AS createdAt, created_by AS createdBy,
    (SELECT json_group_array(user_id ORDER BY user_id) FROM group_users WHERE group_id = groups.id) AS users,
    mappings_sso AS mappingsSSO,
    (SELECT nullif(json_group_array(json_object('user', user_id, 'at', joined_at) ORDER BY user_id), '[]')
      FROM group_users WHERE group_id = groups.id AND joined_at IS NOT NULL) AS joined
  FROM groups ORDER BY id`);

export const group = kind({
  name: "group",
  schema: GroupLine,
  refers: { rootRole: "role", users: "user" },
  insert({ tx, now }, { users, joined, ...row }) {
    insert(tx).run(toStored({ ...row, createdAt: row.createdAt ?? now }));
    const times = new Map(joined.map(({ user, at }) => [user, at]));
    for (const userId of users)
      insertMember(tx).run({ groupId: row.id, userId, joinedAt: times.get(userId) ?? null });
  },
  rows: (db) => lines(db).iterate({}),
});
