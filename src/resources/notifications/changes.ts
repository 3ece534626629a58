import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { Mute } from "./schema.ts";

const setRead = command<{ userId: number; ids: string; now: string }>(`
  UPDATE notification_recipients SET read_at = :now
  WHERE user_id = :userId AND read_at IS NULL AND notification_id IN (SELECT value FROM json_each(:ids))`);

/** Keeps when a user first read some notifications; those of others are left alone, and no event tells of it. */
export const markRead = (tx: Tx, userId: number, ids: readonly number[]) =>
  setRead(tx).run({ userId, ids: JSON.stringify(ids), now: tx.now });

export const insertMute = command<Mute & { userId: number }>(`
  INSERT INTO notification_mutes (user_id, type, project) VALUES (:userId, :notificationType, :project)`);

const removeMutes = command<{ userId: number }>(`DELETE FROM notification_mutes WHERE user_id = :userId`);

/** Sets all that a user is not told of from now on; no event tells of it. */
export function setMutes(tx: Tx, userId: number, muted: readonly Mute[]) {
  removeMutes(tx).run({ userId });
  const each = new Map(muted.map((mute) => [JSON.stringify([mute.notificationType, mute.project]), mute]));
  for (const mute of each.values()) insertMute(tx).run({ userId, ...mute });
}
