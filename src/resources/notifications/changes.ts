import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";

const setRead = command<{ userId: number; ids: string; now: string }>(`
  UPDATE notification_recipients SET read_at = :now
  WHERE user_id = :userId AND read_at IS NULL AND notification_id IN (SELECT value FROM json_each(:ids))`);

/** Keeps when a user first read some notifications; those of others are left alone, and no event tells of it. */
export const markRead = (tx: Tx, userId: number, ids: readonly number[]) =>
  setRead(tx).run({ userId, ids: JSON.stringify(ids), now: tx.now });
