import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { Mute } from "./schema.ts";

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
export function markRead(tx: Tx, userId: number, read: readonly number[]) {
  const values = { userId, ids: JSON.stringify(read), now: tx.now };
  setRead(tx).run(values);
  insertRead(tx).run(values);
}

export const insertMute = command<Mute & { userId: number }>(`
  INSERT INTO notification_mutes (user_id, type, project) VALUES (:userId, :notificationType, :project)`);

const removeMutes = command<{ userId: number }>(`DELETE FROM notification_mutes WHERE user_id = :userId`);

/** Replaces everything that a user has muted; no event is recorded. */
export function setMutes(tx: Tx, userId: number, muted: readonly Mute[]) {
  removeMutes(tx).run({ userId });
  const distinct = new Map(
    muted.map((mute) => [JSON.stringify([mute.notificationType, mute.project]), mute]),
  );
  for (const mute of distinct.values()) insertMute(tx).run({ userId, ...mute });
}
