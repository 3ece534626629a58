import { SYSTEM_USER_ID } from "../access/actor.ts";
import { perWritingOf } from "../db/per-writing.ts";
import { command, query } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import type { StoredEvent } from "./record.ts";
import type { EventType } from "./types.ts";

interface NotificationRow {
  id: number | null;
  message: string;
  link: string;
  notificationType: string;
  createdByUserId: number;
  createdAt: string;
}

interface RecipientRow {
  notificationId: number | bigint;
  userId: number;
  createdAt: string;
  readAt: string | null;
}

export const insertNotification = command<NotificationRow>(`
  INSERT INTO notifications (id, message, link, type, created_by_user_id, created_at)
  VALUES (:id, :message, :link, :notificationType, :createdByUserId, :createdAt)`);

export const insertRecipient = command<RecipientRow>(`
  INSERT INTO notification_recipients (notification_id, user_id, created_at, read_at)
  VALUES (:notificationId, :userId, :createdAt, :readAt)`);

const otherMembers = query<{ project: string; author: number; type: string }, number>(`
  SELECT DISTINCT user_id FROM project_members
  WHERE project_members.project = :project AND user_id <> :author AND NOT EXISTS (
    SELECT 1 FROM notification_mutes AS muted
    WHERE muted.user_id = project_members.user_id
      AND ifnull(muted.type, :type) = :type AND ifnull(muted.project, :project) = :project)`);

/** The type of every notification that is created here. */
const TYPE = "toggle";

/** The events that members are notified of, and the wording. */
const ACTIONS: Partial<Record<EventType, string>> = {
  "feature-created": "created the flag",
  "feature-archived": "archived the flag",
  "feature-environment-enabled": "enabled the flag",
  "feature-environment-disabled": "disabled the flag",
};

/** Notifies the members of the event's project, except its author and those who have muted it. */
export function notifyMembers(tx: Writing, event: StoredEvent & { type: EventType }) {
  const { project, createdAt, createdByUserId } = event;
  const action = ACTIONS[event.type];
  if (action === undefined || project === null) return;
  const author = createdByUserId ?? SYSTEM_USER_ID;
  const userIds = recipientsOf(tx, { project, author });
  if (userIds.length === 0) return;
  const row = { ...sentenceOf(event, action), notificationType: TYPE, createdByUserId: author, createdAt };
  const notificationId = insertNotification(tx).run({ id: null, ...row }).lastInsertRowid;
  for (const userId of userIds) insertRecipient(tx).run({ notificationId, userId, createdAt, readAt: null });
}

/** Looked up once per transaction: none changes both members and flags. */
const recipientsOf = perWritingOf(({ db }, of: { project: string; author: number }) =>
  otherMembers(db)
    .pluck()
    .all({ ...of, type: TYPE }),
);

function sentenceOf({ createdBy, project, featureName, environment }: StoredEvent, action: string) {
  const where = environment === null ? "" : ` in ${environment}`;
  const [inProject, inFlag] = [project, featureName].map((name) => encodeURIComponent(name!.toWellFormed()));
  return {
    message: `${createdBy} ${action} ${featureName}${where}`,
    link: `/projects/${inProject}/features/${inFlag}`,
  };
}
