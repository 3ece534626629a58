import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { Feedback, Splash } from "./schema.ts";

const setFeedback = command<Omit<Feedback, "neverShow"> & { neverShow: 0 | 1 }>(`
  INSERT INTO feedback (user_id, feedback_id, given, never_show) VALUES (:userId, :feedbackId, :given, :neverShow)
  ON CONFLICT DO UPDATE SET given = :given, never_show = :neverShow`);

const setSplash = command<Omit<Splash, "seen">>(`
  INSERT INTO splashes (user_id, splash_id) VALUES (:userId, :splashId) ON CONFLICT DO NOTHING`);

/** Stores a user's latest answer to a question; no event is recorded (original). */
export function giveFeedback(tx: Tx, feedback: Feedback): Feedback {
  setFeedback(tx).run({ ...feedback, neverShow: feedback.neverShow ? 1 : 0 });
  return feedback;
}

/** Notes that a user has seen an introduction; no event is recorded (original). */
export function markSplashSeen(tx: Tx, userId: number, splashId: string): Splash {
  setSplash(tx).run({ userId, splashId });
  return { userId, splashId, seen: true };
}
