import { imageUrlOf } from "../../avatar.ts";
import { type Database, query } from "../../db/statement.ts";
import type { Wire } from "../../http/raw-json.ts";
import type { Notification } from "./schema.ts";

type Row = Omit<Notification, "createdBy"> & {
  userId: number;
  name: string | null;
  username: string | null;
  email: string | null;
  imageUrl: string | null;
};

// The author may be gone, or be a token.
const newest = query<{ userId: number }, Row>(`
  SELECT notifications.id, message, link, type AS notificationType, notifications.created_at AS createdAt,
    read_at AS readAt, created_by_user_id AS userId, users.name, username, email, image_url AS imageUrl
  FROM notification_recipients
  JOIN notifications ON notifications.id = notification_recipients.notification_id
  LEFT JOIN users ON users.id = created_by_user_id
  WHERE notification_recipients.user_id = :userId
  ORDER BY notification_recipients.created_at DESC, notification_recipients.notification_id DESC LIMIT 100`);

/** The newest 100 notifications of a user, read and unread, newest first. */
export const newestNotifications = (db: Database, userId: number): Wire<Notification>[] =>
  newest(db).all({ userId }).map(toNotification);

const toNotification = ({ userId, name, username, email, imageUrl, ...row }: Row): Wire<Notification> => ({
  id: row.id,
  message: row.message,
  link: row.link,
  notificationType: row.notificationType,
  createdBy: {
    username: username ?? email ?? name ?? `user ${userId}`,
    imageUrl: imageUrlOf({ imageUrl, email, username, id: userId }),
  },
  createdAt: row.createdAt,
  readAt: row.readAt,
});
