import * as v from "valibot";
import { type Actor, SYSTEM_USER_ID } from "../access/actor.ts";
import { imageUrlOf, type PersonRow } from "../access/person.ts";
import { requirePerson } from "../access/require-permission.ts";
import { hiddenProjects } from "../access/visibility.ts";
import { Id, kind, LineError, Name, OptionalTime, optional, withoutNulls } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { command, query } from "../db/statement.ts";
import { insertNotification, type Tx } from "../events/write.ts";
import { GET, POST, PUT } from "../http/operation.ts";
import { invalid } from "../lib/api-error.ts";
import type { Wire } from "../lib/raw-json.ts";
import { NonEmptyText, ShortText, Time, Timestamp } from "../lib/validation.ts";

const NOTIFICATION_TYPES = ["change-request", "toggle"] as const;

/** Something that happened in one of the caller's projects; unread while `readAt` is null. */
export const Notification = v.strictObject({
  id: v.number(),
  message: v.string(),
  link: v.string(),
  notificationType: v.picklist(NOTIFICATION_TYPES),
  createdBy: v.strictObject({ username: v.string(), imageUrl: v.string() }),
  createdAt: Timestamp,
  readAt: v.nullable(Timestamp),
});
export type Notification = v.InferOutput<typeof Notification>;

/** The ids of the notifications read; unknown ones are ignored. */
export const ReadNotifications = v.object({ notifications: v.array(v.pipe(v.number(), v.safeInteger())) });

/** What a user is not notified of: a kind, a project, or a kind in a project; null matches any. */
export const Mute = v.object({
  notificationType: v.nullish(v.picklist(NOTIFICATION_TYPES), null),
  project: v.nullish(NonEmptyText, null),
});
export type Mute = v.InferOutput<typeof Mute>;

export const Mutes = v.object({
  muted: v.pipe(v.array(Mute), v.maxLength(1000, "must have 1000 entries or fewer")),
});

export const listNotifications = GET({
  id: "getNotifications",
  summary: "The caller's newest notifications",
  tag: "Notifications",
  path: "/api/admin/notifications",
  permission: null,
  response: v.array(Notification),
}).run(({ db, actor }) =>
  actor.userId === null ? [] : newestNotifications(db, actor.userId, hiddenProjects(db, actor)),
);

export const readNotifications = POST({
  id: "markNotificationsAsRead",
  summary: "Mark some of the caller's notifications as read",
  tag: "Notifications",
  path: "/api/admin/notifications/read",
  permission: null,
  body: ReadNotifications,
  example: { notifications: [1] },
}).change(({ tx, actor, body }) => {
  markRead(tx, requirePerson(actor), body.notifications);
});

const ofMutes = {
  tag: "Notifications",
  path: "/api/admin/notifications/muted",
  permission: null,
  response: Mutes,
} as const;

export const listMutes = GET({
  ...ofMutes,
  id: "getMutedNotifications",
  summary: "What the caller has muted, by kind and project",
}).run(({ db, actor }) => ({ muted: actor.userId === null ? [] : mutes(db, actor.userId) }));

export const changeMutes = PUT({
  ...ofMutes,
  id: "setMutedNotifications",
  summary: "Replace what the caller has muted",
  body: Mutes,
  example: { muted: [{ project: "shop" }] },
}).change(({ tx, actor, body: { muted } }) => {
  const userId = requirePerson(actor);
  requireProjectsOf(tx.db, actor, muted);
  setMutes(tx, userId, muted);
  return { muted: mutes(tx.db, userId) };
});

type Row = Omit<Notification, "createdBy"> & Omit<PersonRow, "id"> & { userId: number };

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
const mutes = (db: Database, userId: number): Mute[] => mutesOf(db).all({ userId });

interface Read {
  userId: number;
  ids: string;
  now: string;
}

const setRead = command<Read>(`
  UPDATE notification_recipients SET read_at = :now
  WHERE user_id = :userId AND read_at IS NULL AND notification_id IN (SELECT value FROM json_each(:ids))`);

const insertRead = command<Read>(`
  INSERT OR IGNORE INTO notification_reads (notification_id, user_id, read_at)
  SELECT id, :userId, :now FROM notifications
  WHERE id IN (SELECT value FROM json_each(:ids)) AND created_by_user_id <> :userId
    AND project IN (SELECT project FROM project_members WHERE user_id = :userId)`);

/**
 * Marks a user's notifications as read, keeping the first time; ignores other users' notifications. No event is
 * recorded.
 */
function markRead(tx: Tx, userId: number, read: readonly number[]) {
  const values = { userId, ids: JSON.stringify(read), now: tx.now };
  setRead(tx).run(values);
  insertRead(tx).run(values);
}

const insertMute = command<Mute & { userId: number }>(`
  INSERT INTO notification_mutes (user_id, type, project) VALUES (:userId, :notificationType, :project)`);

const removeMutes = command<{ userId: number }>(`DELETE FROM notification_mutes WHERE user_id = :userId`);

/** Replaces everything that a user has muted; no event is recorded. */
function setMutes(tx: Tx, userId: number, muted: readonly Mute[]) {
  removeMutes(tx).run({ userId });
  const distinct = new Map(
    muted.map((mute) => [JSON.stringify([mute.notificationType, mute.project]), mute]),
  );
  for (const mute of distinct.values()) insertMute(tx).run({ userId, ...mute });
}

/** Notifies some users, whatever their projects. @param notice with `message`, `link` (a path) and type */
export function notify(
  tx: Tx,
  users: Iterable<number>,
  notice: Pick<LineRow, "message" | "link" | "notificationType">,
) {
  const { now: createdAt, actor } = tx;
  const createdByUserId = actor.createdByUserId ?? SYSTEM_USER_ID;
  const known = [...users].filter((id) => isKnown(tx.db, "user", id));
  if (known.length === 0) return;
  const row = { ...notice, id: null, createdByUserId, createdAt, project: null };
  const notificationId = insertNotification(tx).run(row).lastInsertRowid;
  for (const userId of known) insertRecipient(tx).run({ notificationId, userId, createdAt, readAt: null });
}

/** Checks that the projects to mute exist and are visible to the actor. @throws ApiError `ValidationError` */
function requireProjectsOf(db: Database, actor: Actor, muted: readonly Mute[]) {
  const hidden = hiddenProjects(db, actor);
  for (const [index, { project }] of muted.entries()) {
    if (project === null || (isKnown(db, "project", project) && !hidden.includes(project))) continue;
    throw invalid({ path: `body.muted.${index}.project`, message: `there is no project ${project}` });
  }
}

const NotificationLine = v.strictObject({
  id: optional(Id),
  message: ShortText,
  link: Name,
  notificationType: v.picklist(NOTIFICATION_TYPES),
  createdByUserId: v.pipe(v.number(), v.safeInteger()),
  createdAt: Time,
  project: optional(Name),
  recipients: v.array(v.strictObject({ userId: Id, readAt: OptionalTime })),
});

type LineRow = Omit<v.InferOutput<typeof NotificationLine>, "recipients">;

interface Recipient {
  notificationId: number | bigint;
  userId: number;
  createdAt: string;
  readAt: string | null;
}

const insertRecipient = command<Recipient>(`
  INSERT INTO notification_recipients (notification_id, user_id, created_at, read_at)
  VALUES (:notificationId, :userId, :createdAt, :readAt)`);

const insertReader = command<Recipient>(`
  INSERT INTO notification_reads (notification_id, user_id, read_at) VALUES (:notificationId, :userId, :readAt)`);

const all = query<object, LineRow & { id: number }>(`
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
  isNumbered: true,
  schema: NotificationLine,
  refers: { project: "project", "recipients.userId": "user" },
  insert({ tx }, { recipients, ...row }) {
    const notificationId = insertNotification(tx).run(row).lastInsertRowid;
    const insert = row.project === null ? insertRecipient : insertReader;
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
