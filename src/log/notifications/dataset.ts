import * as v from "valibot";
import { kind } from "../../dataset/kind.ts";
import { requireKnown } from "../../dataset/reference.ts";
import { Id, Name, OptionalTime, optional, withoutNulls } from "../../dataset/value.ts";
import { query } from "../../db/statement.ts";
import { insertNotification, insertRecipient } from "../../events/notify.ts";
import { ShortText, Time } from "../../lib/validation.ts";
import { insertMute } from "./changes.ts";
import { type Mute, NOTIFICATION_TYPES } from "./schema.ts";

const Notification = v.strictObject({
  id: optional(Id),
  message: ShortText,
  link: Name,
  notificationType: v.picklist(NOTIFICATION_TYPES),
  createdByUserId: v.pipe(v.number(), v.safeInteger()),
  createdAt: Time,
  recipients: v.array(v.strictObject({ userId: Id, readAt: OptionalTime })),
});

type Row = Omit<v.InferOutput<typeof Notification>, "recipients">;

const all = query<object, Row & { id: number }>(`
  SELECT id, message, link, type AS notificationType, created_by_user_id AS createdByUserId,
    created_at AS createdAt
  FROM notifications ORDER BY id`);

const recipientsOf = query<{ notificationId: number }, { userId: number; readAt: string | null }>(`
  SELECT user_id AS userId, read_at AS readAt FROM notification_recipients
  WHERE notification_id = :notificationId ORDER BY user_id`);

export const notification = kind({
  name: "notification",
  schema: Notification,
  insert({ tx, db }, { recipients, ...row }) {
    const notificationId = insertNotification(tx).run(row).lastInsertRowid;
    for (const [index, recipient] of recipients.entries()) {
      requireKnown(db, "user", recipient.userId, `recipients.${index}.userId`);
      insertRecipient(tx).run({ notificationId, createdAt: row.createdAt, ...recipient });
    }
  },
  *rows(db) {
    for (const row of all(db).iterate({})) {
      const recipients = recipientsOf(db).all({ notificationId: row.id });
      yield { ...row, recipients: recipients.map(withoutNulls) };
    }
  },
});

const allMutes = query<object, Mute & { user: number }>(`
  SELECT user_id AS user, type AS notificationType, project FROM notification_mutes
  ORDER BY user_id, type, project`);

export const notificationMute = kind({
  name: "notificationMute",
  schema: v.strictObject({
    user: Id,
    notificationType: optional(v.picklist(NOTIFICATION_TYPES)),
    project: optional(Name),
  }),
  insert({ tx, db }, { user, ...mute }) {
    requireKnown(db, "user", user, "user");
    if (mute.project !== null) requireKnown(db, "project", mute.project, "project");
    insertMute(tx).run({ userId: user, ...mute });
  },
  *rows(db) {
    for (const row of allMutes(db).iterate({})) yield withoutNulls(row);
  },
});
