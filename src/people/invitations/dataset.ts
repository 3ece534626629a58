import * as v from "valibot";
import {
  bit,
  Flag,
  Hash,
  Id,
  kind,
  OptionalText,
  OptionalTime,
  requireAllKnown,
  withoutNulls,
} from "../../dataset/kind.ts";
import { query } from "../../db/statement.ts";
import { ShortText, Time } from "../../lib/validation.ts";
import { insertInvitation, insertInvitationUser } from "./changes.ts";

const Invitation = v.strictObject({
  id: Id,
  name: ShortText,
  hash: Hash,
  enabled: Flag(true),
  createdAt: OptionalTime,
  createdBy: OptionalText,
  expiresAt: Time,
  users: v.optional(v.array(Id), []),
});

type Row = Omit<v.InferOutput<typeof Invitation>, "users" | "enabled" | "createdAt"> & {
  createdAt: string;
  enabled: 0 | 1;
  users: string;
};

const all = query<object, Row>(`
  SELECT id, name, hash, enabled, created_at AS createdAt, created_by AS createdBy, expires_at AS expiresAt,
    (SELECT json_group_array(user_id ORDER BY user_id) FROM invitation_users
      WHERE invitation_id = invitations.id) AS users
  FROM invitations ORDER BY id`);

export const invitation = kind({
  name: "invitation",
  schema: Invitation,
  insert({ tx, db, now }, { users, enabled, createdAt, ...row }) {
    requireAllKnown(db, "user", users, "users");
    insertInvitation(tx).run({ ...row, enabled: bit(enabled), createdAt: createdAt ?? now });
    for (const userId of new Set(users)) insertInvitationUser(tx).run({ invitationId: row.id, userId });
  },
  *rows(db) {
    for (const { users, enabled, ...row } of all(db).iterate({}))
      yield { ...withoutNulls(row), enabled: enabled === 1, users: JSON.parse(users) };
  },
});
