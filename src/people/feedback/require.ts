import { type Database, query } from "../../db/statement.ts";
import type { Feedback } from "./schema.ts";

const feedback = query<{ userId: number }, Omit<Feedback, "neverShow"> & { neverShow: 0 | 1 }>(`
  SELECT user_id AS userId, never_show AS neverShow, feedback_id AS feedbackId, given FROM feedback
  WHERE user_id = :userId ORDER BY feedback_id`);

const splashes = query<{ userId: number }, string>(`
  SELECT splash_id FROM splashes WHERE user_id = :userId ORDER BY splash_id`);

/** All of a user's answers to questions of the interface. */
export const feedbackOf = (db: Database, userId: number): Feedback[] =>
  feedback(db)
    .all({ userId })
    .map((row) => ({ ...row, neverShow: row.neverShow === 1 }));

/** The introductions that a user has seen, each with the value true. */
export const splashesOf = (db: Database, userId: number): Record<string, boolean> =>
  Object.fromEntries(
    splashes(db)
      .pluck()
      .all({ userId })
      .map((id) => [id, true]),
  );
