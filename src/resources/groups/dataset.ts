import * as v from "valibot";
import { command, query } from "../../db/statement.ts";
import { kind } from "../../transfer/kind.ts";
import { requireAllKnown, requireKnown } from "../../transfer/reference.ts";
import { Id, Name, OptionalText, OptionalTime, optional, withoutNulls } from "../../transfer/value.ts";

const Group = v.strictObject({
  id: Id,
  name: Name,
  description: OptionalText,
  users: v.optional(v.array(Id), []),
  rootRole: optional(Id),
  createdAt: OptionalTime,
});

type Row = Omit<v.InferOutput<typeof Group>, "users" | "createdAt"> & { createdAt: string };

const insertRow = command<Row>(`
  INSERT INTO groups (id, name, description, root_role, created_at)
  VALUES (:id, :name, :description, :rootRole, :createdAt)`);

const insertUser = command<{ groupId: number; userId: number }>(`
  INSERT INTO group_users (group_id, user_id) VALUES (:groupId, :userId)`);

const all = query<object, Row & { users: string }>(`
  SELECT id, name, description, root_role AS rootRole, created_at AS createdAt,
    (SELECT json_group_array(user_id ORDER BY user_id) FROM group_users WHERE group_id = groups.id) AS users
  FROM groups ORDER BY id`);

export const group = kind({
  name: "group",
  schema: Group,
  insert({ tx, db, now }, { users, ...row }) {
    if (row.rootRole !== null) requireKnown(db, "role", row.rootRole, "rootRole");
    requireAllKnown(db, "user", users, "users");
    insertRow(tx).run({ ...row, createdAt: row.createdAt ?? now });
    for (const userId of users) insertUser(tx).run({ groupId: row.id, userId });
  },
  *rows(db) {
    for (const { users, ...row } of all(db).iterate({})) {
      yield { ...withoutNulls(row), users: JSON.parse(users) };
    }
  },
});
