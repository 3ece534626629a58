import * as v from "valibot";
import { query } from "../../db/statement.ts";
import { kind } from "../../transfer/kind.ts";
import { requireAllKnown, requireKnown } from "../../transfer/reference.ts";
import { Id, Name, OptionalText, OptionalTime, optional, withoutNulls } from "../../transfer/value.ts";
import { ShortText } from "../../validation.ts";
import { insertGroup, insertGroupUser } from "./changes.ts";

const Group = v.strictObject({
  id: Id,
  name: Name,
  description: OptionalText,
  users: v.optional(v.array(Id), []),
  rootRole: optional(Id),
  createdAt: OptionalTime,
  createdBy: OptionalText,
  mappingsSSO: v.optional(v.array(ShortText), []),
});

type Row = Omit<v.InferOutput<typeof Group>, "users" | "createdAt" | "mappingsSSO"> & {
  createdAt: string;
  mappingsSSO: string;
};

const all = query<object, Row & { users: string }>(`
  SELECT id, name, description, root_role AS rootRole, created_at AS createdAt,
    created_by AS createdBy, mappings_sso AS mappingsSSO,
    (SELECT json_group_array(user_id ORDER BY user_id) FROM group_users WHERE group_id = groups.id) AS users
  FROM groups ORDER BY id`);

export const group = kind({
  name: "group",
  schema: Group,
  insert({ tx, db, now }, { users, mappingsSSO, ...row }) {
    if (row.rootRole !== null) requireKnown(db, "role", row.rootRole, "rootRole");
    requireAllKnown(db, "user", users, "users");
    const lists = { mappingsSSO: JSON.stringify(mappingsSSO) };
    insertGroup(tx).run({ ...row, ...lists, createdAt: row.createdAt ?? now });
    for (const userId of users) insertGroupUser(tx).run({ groupId: row.id, userId, joinedAt: null });
  },
  *rows(db) {
    for (const { users, mappingsSSO, ...row } of all(db).iterate({})) {
      const lists = { users: JSON.parse(users), mappingsSSO: JSON.parse(mappingsSSO) };
      yield { ...withoutNulls(row), ...lists };
    }
  },
});
