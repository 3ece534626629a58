import * as v from "valibot";
import {
  Id,
  kind,
  Name,
  OptionalText,
  OptionalTime,
  optional,
  requireAllKnown,
  requireKnown,
  withoutNulls,
} from "../../dataset/kind.ts";
import { query } from "../../db/statement.ts";
import { ShortText, Time } from "../../lib/validation.ts";
import { insertGroup, insertGroupUser } from "./changes.ts";

const Group = v.strictObject({
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

type Row = Omit<v.InferOutput<typeof Group>, "users" | "joined" | "createdAt" | "mappingsSSO"> & {
  createdAt: string;
  mappingsSSO: string;
};

const all = query<object, Row & { users: string; joined: string }>(`
  SELECT id, name, description, root_role AS rootRole, created_at AS createdAt,
    created_by AS createdBy, mappings_sso AS mappingsSSO,
    (SELECT json_group_array(user_id ORDER BY user_id) FROM group_users WHERE group_id = groups.id) AS users,
    (SELECT json_group_array(json_object('user', user_id, 'at', joined_at) ORDER BY user_id)
      FROM group_users WHERE group_id = groups.id AND joined_at IS NOT NULL) AS joined
  FROM groups ORDER BY id`);

export const group = kind({
  name: "group",
  schema: Group,
  insert({ tx, db, now }, { users, joined, mappingsSSO, ...row }) {
    if (row.rootRole !== null) requireKnown(db, "role", row.rootRole, "rootRole");
    requireAllKnown(db, "user", users, "users");
    const lists = { mappingsSSO: JSON.stringify(mappingsSSO) };
    insertGroup(tx).run({ ...row, ...lists, createdAt: row.createdAt ?? now });
    const times = new Map(joined.map(({ user, at }) => [user, at]));
    for (const userId of users)
      insertGroupUser(tx).run({ groupId: row.id, userId, joinedAt: times.get(userId) ?? null });
  },
  *rows(db) {
    for (const { users, joined, mappingsSSO, ...row } of all(db).iterate({})) {
      const lists = { users: JSON.parse(users), mappingsSSO: JSON.parse(mappingsSSO) };
      yield { ...withoutNulls(row), ...lists, ...(joined !== "[]" && { joined: JSON.parse(joined) }) };
    }
  },
});
