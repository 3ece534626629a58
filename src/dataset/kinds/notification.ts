import * as v from "valibot";
import { command, query } from "../../db/statement.ts";
import { NOTIFICATION_TYPES } from "../../resources/notifications/schema.ts";
import { ShortText } from "../../validation.ts";
import { kind } from "../kind.ts";
import { requireKnown } from "../reference.ts";
import { Id, Name, OptionalTime, optional, Time, withoutNulls } from "../value.ts";

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

interface Recipient {
  notificationId: number | bigint;
  userId: number;
  createdAt: string;
  readAt: string | null;
}

const insertRow = command<Row>(`
  INSERT INTO notifications (id, message, link, type, created_by_user_id, created_at)
  VALUES (:id, :message, :link, :notificationType, :createdByUserId, :createdAt)`);

const insertRecipient = command<Recipient>(`
  INSERT INTO notification_recipients (notification_id, user_id, created_at, read_at)
  VALUES (:notificationId, :userId, :createdAt, :readAt)`);

const all = query<object, Row & { id: number }>(`
  SELECT id, message, link, type AS notificationType, created_by_user_id AS createdByUserId,
    created_at AS createdAt
  FROM notifications ORDER BY id`);

const recipientsOf = query<{ notificationId: number }, Pick<Recipient, "userId" | "readAt">>(`
  SELECT user_id AS userId, read_at AS readAt FROM notification_recipients
  WHERE notification_id = :notificationId ORDER BY user_id`);

export const notification = kind({
  name: "notification",
  schema: Notification,
  insert({ tx, db }, { recipients, ...row }) {
    // The system and service tokens have negative ids and no row.
    if (row.createdByUserId > 0) requireKnown(db, "user", row.createdByUserId, "createdByUserId");
    const notificationId = insertRow(tx).run(row).lastInsertRowid;
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
