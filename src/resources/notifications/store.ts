import { imageUrlOf } from "../../avatar.ts";
import { type Database, query } from "../../db/statement.ts";
import type { Wire } from "../../http/raw-json.ts";
import type { Mute, Notification } from "./schema.ts";

type Row = Omit<Notification, "createdBy"> & { userId: number };

interface Author {
  name: string | null;
  username: string | null;
  email: string | null;
  imageUrl: string | null;
}

const newest = query<{ userId: number }, Row>(`
  SELECT notifications.id, message, link, type AS notificationType, notifications.created_at AS createdAt,
    read_at AS readAt, created_by_user_id AS userId
  FROM notification_recipients
  JOIN notifications ON notifications.id = notification_recipients.notification_id
  WHERE notification_recipients.user_id = :userId
  ORDER BY notification_recipients.created_at DESC, notification_recipients.notification_id DESC LIMIT 100`);

const author = query<{ id: number }, Author>(`
  SELECT name, username, email, image_url AS imageUrl FROM users WHERE id = :id`);

const mutesOf = query<{ userId: number }, Mute>(`
  SELECT type AS notificationType, project FROM notification_mutes WHERE user_id = :userId
  ORDER BY type, project`);

/** What a user has muted. */
export const mutes = (db: Database, userId: number): Mute[] => mutesOf(db).all({ userId });

/** A user's newest 100 notifications, read and unread, newest first. They have few distinct authors. */
export function newestNotifications(db: Database, userId: number): Wire<Notification>[] {
  const rows = newest(db).all({ userId });
  const ids = new Set(rows.map((row) => row.userId));
  const authors = new Map([...ids].map((id) => [id, toAuthor(id, author(db).get({ id }))]));
  return rows.map((row) => toNotification(row, authors.get(row.userId)!));
}

/** The author may have been deleted, or be a token. */
const toAuthor = (id: number, found?: Author): Wire<Notification["createdBy"]> => {
  const { name = null, username = null, email = null, imageUrl = null } = found ?? {};
  return {
    username: username ?? email ?? name ?? `user ${id}`,
    imageUrl: imageUrlOf({ imageUrl, email, username, id }),
  };
};

const toNotification = (row: Row, createdBy: Wire<Notification["createdBy"]>): Wire<Notification> => ({
  id: row.id,
  message: row.message,
  link: row.link,
  notificationType: row.notificationType,
  createdBy,
  createdAt: row.createdAt,
  readAt: row.readAt,
});
