import { imageUrlOf } from "../../access/avatar.ts";
import { rowCache } from "../../db/row-cache.ts";
import { type Database, query } from "../../db/statement.ts";
import { RawJson, toJson, type Wire } from "../../lib/raw-json.ts";
import type { Mute, Notification } from "./schema.ts";

interface Received {
  id: number;
  readAt: string | null;
}

type Row = Omit<Notification, "createdBy" | "readAt"> & { userId: number };

interface Author {
  name: string | null;
  username: string | null;
  email: string | null;
  imageUrl: string | null;
}

const newest = query<{ userId: number }, Received>(`
  SELECT notification_id AS id, read_at AS readAt FROM notification_recipients
  WHERE user_id = :userId ORDER BY created_at DESC, notification_id DESC LIMIT 100`);

const newestOutside = query<{ userId: number; paths: string }, Received>(`
  SELECT notification_id AS id, read_at AS readAt
  FROM notification_recipients JOIN notifications ON notifications.id = notification_id
  WHERE notification_recipients.user_id = :userId
    AND NOT EXISTS (SELECT 1 FROM json_each(:paths) WHERE substr(link, 1, length(value)) = value)
  ORDER BY notification_recipients.created_at DESC, notification_id DESC LIMIT 100`);

const byIds = query<{ ids: string }, Row>(`
  SELECT notifications.id, message, link, notifications.type AS notificationType, created_at AS createdAt,
    created_by_user_id AS userId
  FROM json_each(:ids) CROSS JOIN notifications ON notifications.id = json_each.value`);

const author = query<{ id: number }, Author>(`
  SELECT name, username, email, image_url AS imageUrl FROM users WHERE id = :id`);

const mutesOf = query<{ userId: number }, Mute>(`
  SELECT type AS notificationType, project FROM notification_mutes WHERE user_id = :userId
  ORDER BY type, project`);

/** What a user has muted. */
export const mutes = (db: Database, userId: number): Mute[] => mutesOf(db).all({ userId });

/** A notification's JSON: the part before the value of `createdBy`, and from there to the value of `readAt`. */
interface NotificationText {
  before: string;
  userId: number;
  after: string;
}

// All recipients get the same text, and few notifications in a list are new.
const cachedTexts = rowCache<number, NotificationText>("listed_notifications", {
  limit: 2 * 1024 * 1024,
  sizeOf: ({ before, after }) => before.length + after.length,
  sources: { notifications: "id" },
});

/**
 * A user's newest 100 notifications, read and unread, newest first.
 * @param hidden projects hidden from the user: notifications about them are omitted
 */
export function newestNotifications(
  db: Database,
  userId: number,
  hidden: readonly string[],
): RawJson<Notification[]> {
  const received = hidden.length === 0 ? newest(db).all({ userId }) : outsideHidden(db, userId, hidden);
  const texts = cachedTexts(db).of(
    received.map(({ id }) => id),
    (missing) =>
      byIds(db)
        .all({ ids: JSON.stringify(missing) })
        .map(toNotificationText),
  );
  const ids = new Set(texts.map((text) => text.userId));
  const authors = new Map([...ids].map((id) => [id, toAuthor(id, author(db).get({ id }))]));
  return new NotificationList(received, texts, authors);
}

function outsideHidden(db: Database, userId: number, hidden: readonly string[]): Received[] {
  const paths = hidden.map((project) => `/projects/${encodeURIComponent(project)}/`);
  return newestOutside(db).all({ userId, paths: JSON.stringify(paths) });
}

function toNotificationText({
  id,
  message,
  link,
  notificationType,
  createdAt,
  userId,
}: Row): [id: number, NotificationText] {
  const head = JSON.stringify({ id, message, link, notificationType });
  const before = `${head.slice(0, -1)},"createdBy":`;
  return [id, { before, userId, after: `,"createdAt":${JSON.stringify(createdAt)},"readAt":` }];
}

/** The author may have been deleted, or be a token. */
const toAuthor = (id: number, found?: Author): Wire<Notification["createdBy"]> => {
  const { name = null, username = null, email = null, imageUrl = null } = found ?? {};
  return {
    username: username ?? email ?? name ?? `user ${id}`,
    imageUrl: imageUrlOf({ imageUrl, email, username, id }),
  };
};

/** There are few distinct authors, so each is serialized once. */
class NotificationList extends RawJson<Notification[]> {
  readonly received: readonly Received[];
  readonly texts: readonly NotificationText[];
  readonly authors: ReadonlyMap<number, Wire<Notification["createdBy"]>>;

  constructor(
    received: NotificationList["received"],
    texts: NotificationList["texts"],
    authors: NotificationList["authors"],
  ) {
    super("");
    this.received = received;
    this.texts = texts;
    this.authors = authors;
  }

  override toText(root: string) {
    const authors = new Map([...this.authors].map(([id, author]) => [id, toJson(author, root)]));
    const all = this.texts.map(({ before, userId, after }, index) => {
      const { readAt } = this.received[index]!;
      return `${before}${authors.get(userId)}${after}${JSON.stringify(readAt)}}`;
    });
    return `[${all.join(",")}]`;
  }
}
