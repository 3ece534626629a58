import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { Mute } from "./schema.ts";

const setRead = command<{ userId: number; ids: string; now: string }>(`
  UPDATE notification_recipients SET read_at = :now
  WHERE user_id = :userId AND read_at IS NULL AND notification_id IN (SELECT value FROM json_each(:ids))`);

/**
 * Marks a user's notifications as read, keeping the first time; ignores other users' notifications. No event is
 * recorded.
 */
export const markRead = (tx: Tx, userId: number, ids: readonly number[]) =>
  setRead(tx).run({ userId, ids: JSON.stringify(ids), now: tx.now });

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
