import { imageUrlOf } from "../../access/person.ts";
import type { Database } from "../../db/database.ts";
import { query } from "../../db/statement.ts";
import type { Wire } from "../../lib/raw-json.ts";
import type { Mute, Notification } from "./schema.ts";

interface Row extends Omit<Notification, "createdBy"> {
  userId: number;
  name: string | null;
  username: string | null;
  email: string | null;
  imageUrl: string | null;
}

/** SQL: the newest of a project's notifications of a type that others caused; `older` limits it to older ones. */
const newestOf = (table: string, older = "") => `(
  SELECT id FROM notifications
  WHERE project = ${table}.project AND type = ${table}.type AND created_by_user_id <> :userId ${older}
  ORDER BY created_at DESC, id DESC LIMIT 1)`;

// `latest` merges the lists of `followed`: SQLite takes the newest row out of its queue, and puts the next of the same list
// in. So a hundred are found by as many look-ups as there are lists and results.
const newest = query<{ userId: number; hidden: string }, Row>(`
  WITH RECURSIVE followed (project, type) AS (
    SELECT DISTINCT project, types.column1
    FROM project_members AS members CROSS JOIN (VALUES ('change-request'), ('toggle')) AS types
    WHERE user_id = :userId AND NOT EXISTS (
      SELECT 1 FROM notification_mutes AS muted WHERE muted.user_id = :userId
        AND ifnull(muted.type, types.column1) = types.column1 AND ifnull(muted.project, members.project) = members.project)
  ), latest (id, created_at, project, type) AS (
    SELECT id, created_at, followed.project, followed.type FROM followed CROSS JOIN notifications
    WHERE id = ${newestOf("followed")}
    UNION ALL
    SELECT next.id, next.created_at, next.project, next.type FROM latest CROSS JOIN notifications AS next
    WHERE next.id = ${newestOf("latest", "AND (created_at, id) < (latest.created_at, latest.id)")}
    ORDER BY 2 DESC, 1 DESC LIMIT 100
  ), named (id, created_at, read_at) AS (
    SELECT notification_id, received.created_at, read_at
    FROM notification_recipients AS received JOIN notifications ON notifications.id = notification_id
    WHERE user_id = :userId
      AND NOT EXISTS (SELECT 1 FROM json_each(:hidden) WHERE substr(link, 1, length(value)) = value)
    ORDER BY received.created_at DESC, notification_id DESC LIMIT 100
  ), mine (id, created_at, read_at) AS (
    SELECT latest.id, created_at, read_at FROM latest
    LEFT JOIN notification_reads ON notification_id = latest.id AND user_id = :userId
    UNION ALL SELECT * FROM named
    ORDER BY 2 DESC, 1 DESC LIMIT 100
  )
  SELECT mine.id, message, link, type AS notificationType, notifications.created_at AS createdAt, read_at AS readAt,
    created_by_user_id AS userId, name, username, email, image_url AS imageUrl
  FROM mine CROSS JOIN notifications ON notifications.id = mine.id
  LEFT JOIN users ON users.id = created_by_user_id
  ORDER BY mine.created_at DESC, mine.id DESC`);

/**
 * A user's newest 100 notifications, read and unread, newest first.
 * @param hidden projects hidden from the user: notifications about them are omitted
 */
export function newestNotifications(
  db: Database,
  userId: number,
  hidden: readonly string[],
): Wire<Notification[]> {
  const paths = hidden.map((project) => `/projects/${encodeURIComponent(project)}/`);
  return newest(db)
    .all({ userId, hidden: JSON.stringify(paths) })
    .map(toNotification);
}

/** The author may have been deleted, or be a token. */
const toNotification = ({
  id,
  message,
  link,
  notificationType,
  createdAt,
  readAt,
  userId,
  ...author
}: Row) => ({
  id,
  message,
  link,
  notificationType,
  createdBy: {
    username: author.username ?? author.email ?? author.name ?? `user ${userId}`,
    imageUrl: imageUrlOf({ ...author, id: userId }),
  },
  createdAt,
  readAt,
});

const mutesOf = query<{ userId: number }, Mute>(`
  SELECT type AS notificationType, project FROM notification_mutes WHERE user_id = :userId
  ORDER BY type, project`);

/** What a user has muted. */
export const mutes = (db: Database, userId: number): Mute[] => mutesOf(db).all({ userId });
