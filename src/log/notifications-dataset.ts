import * as v from "valibot";
import { Id, kind, LineError, Name, OptionalTime, optional, withoutNulls } from "../dataset/kind.ts";
import { command, query } from "../db/statement.ts";
import { insertNotification } from "../events/notify.ts";
import { ShortText, Time } from "../lib/validation.ts";
import { insertMute, type Mute, NOTIFICATION_TYPES } from "./notifications.ts";

const Notification = v.strictObject({
  id: optional(Id),
  message: ShortText,
  link: Name,
  notificationType: v.picklist(NOTIFICATION_TYPES),
  createdByUserId: v.pipe(v.number(), v.safeInteger()),
  createdAt: Time,
  project: optional(Name),
  recipients: v.array(v.strictObject({ userId: Id, readAt: OptionalTime })),
});

type Row = Omit<v.InferOutput<typeof Notification>, "recipients">;

interface Recipient {
  notificationId: number | bigint;
  userId: number;
  createdAt: string;
  readAt: string | null;
}

const insertRecipient = command<Recipient>(`
  INSERT INTO notification_recipients (notification_id, user_id, created_at, read_at)
  VALUES (:notificationId, :userId, :createdAt, :readAt)`);

const insertRead = command<Recipient>(`
  INSERT INTO notification_reads (notification_id, user_id, read_at) VALUES (:notificationId, :userId, :readAt)`);

const all = query<object, Row & { id: number }>(`
  SELECT id, message, link, type AS notificationType, created_by_user_id AS createdByUserId,
    created_at AS createdAt, project
  FROM notifications ORDER BY id`);

const recipientsOf = query<{ notificationId: number }, { userId: number; readAt: string | null }>(`
  SELECT user_id AS userId, read_at AS readAt FROM notification_recipients
  WHERE notification_id = :notificationId
  UNION ALL
  SELECT user_id, read_at FROM notification_reads WHERE notification_id = :notificationId
  ORDER BY 1`);

export const notification = kind({
  name: "notification",
  schema: Notification,
  refers: { project: "project", "recipients.userId": "user" },
  insert({ tx }, { recipients, ...row }) {
    const notificationId = insertNotification(tx).run(row).lastInsertRowid;
    const insert = row.project === null ? insertRecipient : insertRead;
    for (const [index, recipient] of recipients.entries()) {
      if (row.project !== null && recipient.readAt === null)
        throw new LineError(
          `recipients.${index}.readAt: is missing: with a project, only those who have read it`,
        );
      insert(tx).run({ notificationId, createdAt: row.createdAt, ...recipient });
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
  refers: { user: "user", project: "project" },
  insert: ({ tx }, { user, ...mute }) => insertMute(tx).run({ userId: user, ...mute }),
  rows: (db) => allMutes(db).iterate({}),
});
