import * as v from "valibot";
import {
  bit,
  Id,
  kind,
  Name,
  OptionalText,
  OptionalTime,
  optional,
  requireKnown,
  withoutNulls,
} from "../../dataset/kind.ts";
import { query } from "../../db/statement.ts";
import { MASK } from "../../lib/mask.ts";
import { insertUser } from "./changes.ts";
import { ACCOUNT_TYPES } from "./schema.ts";

const User = v.strictObject({
  id: Id,
  name: OptionalText,
  username: optional(Name),
  email: optional(Name),
  imageUrl: OptionalText,
  accountType: v.optional(v.picklist(ACCOUNT_TYPES), "User"),
  rootRole: v.optional(Id, 3),
  createdAt: OptionalTime,
  seenAt: OptionalTime,
  loginAttempts: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0),
  emailSent: optional(v.boolean()),
  inviteLink: OptionalText,
  scimId: OptionalText,
  passwordHash: OptionalText,
});

type Row = Omit<v.InferOutput<typeof User>, "createdAt" | "emailSent"> & {
  createdAt: string;
  emailSent: 0 | 1 | null;
};

const all = query<object, Row>(`
  SELECT id, name, username, email, image_url AS imageUrl, account_type AS accountType, root_role AS rootRole,
    created_at AS createdAt, seen_at AS seenAt, login_attempts AS loginAttempts, email_sent AS emailSent,
    invite_link AS inviteLink, scim_id AS scimId, password_hash AS passwordHash
  FROM users ORDER BY id`);

export const user = kind({
  name: "user",
  schema: User,
  insert({ tx, db, now }, line) {
    requireKnown(db, "role", line.rootRole, "rootRole");
    const emailSent = line.emailSent === null ? null : bit(line.emailSent);
    insertUser(tx).run({ ...line, createdAt: line.createdAt ?? now, emailSent });
  },
  *rows(db) {
    for (const row of all(db).iterate({})) {
      yield withoutNulls({ ...row, emailSent: row.emailSent === null ? null : row.emailSent === 1 });
    }
  },
  // Anyone who has the link can take over the account.
  masked: (row) => ({
    ...row,
    ...(row.inviteLink && { inviteLink: MASK }),
    ...(row.passwordHash && { passwordHash: MASK }),
  }),
});
