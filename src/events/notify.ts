import { SYSTEM_USER_ID } from "../access/actor.ts";
import { command } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import type { StoredEvent } from "./record.ts";
import type { EventType } from "./schema.ts";

interface NotificationRow {
  id: number | null;
  message: string;
  link: string;
  notificationType: string;
  createdByUserId: number;
  createdAt: string;
  project: string | null;
}

export const insertNotification = command<NotificationRow>(`
  INSERT INTO notifications (id, message, link, type, created_by_user_id, created_at, project)
  VALUES (:id, :message, :link, :notificationType, :createdByUserId, :createdAt, :project)`);

/** The events that members are notified of, and the wording. */
const ACTIONS: Partial<Record<EventType, string>> = {
  "feature-created": "created the flag",
  "feature-archived": "archived the flag",
  "feature-environment-enabled": "enabled the flag",
  "feature-environment-disabled": "disabled the flag",
};

/** Stores what the members of the event's project are notified of; who that is, is found out when they read it. */
export function notifyMembers(tx: Writing, event: StoredEvent & { type: EventType }) {
  const { project, createdAt, createdByUserId } = event;
  const action = ACTIONS[event.type];
  if (action === undefined || project === null) return;
  insertNotification(tx).run({
    id: null,
    ...sentenceOf(event, action),
    notificationType: "toggle",
    createdByUserId: createdByUserId ?? SYSTEM_USER_ID,
    createdAt,
    project,
  });
}

function sentenceOf({ createdBy, project, featureName, environment }: StoredEvent, action: string) {
  const where = environment === null ? "" : ` in ${environment}`;
  const [inProject, inFlag] = [project, featureName].map((name) => encodeURIComponent(name!.toWellFormed()));
  return {
    message: `${createdBy} ${action} ${featureName}${where}`,
    link: `/projects/${inProject}/features/${inFlag}`,
  };
}
