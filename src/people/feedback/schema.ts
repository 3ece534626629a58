import * as v from "valibot";
import { NonEmptyText, Time, Timestamp } from "../../lib/validation.ts";

/** A user's answer to a question of the interface, and when it was given. */
export const Feedback = v.strictObject({
  userId: v.number(),
  neverShow: v.boolean(),
  feedbackId: v.string(),
  given: v.nullable(Timestamp),
});
export type Feedback = v.InferOutput<typeof Feedback>;

const neverShow = v.optional(v.boolean(), false);

export const NewFeedback = v.object({ feedbackId: NonEmptyText, neverShow });

export const FeedbackUpdate = v.object({ neverShow, given: v.nullish(Time, null) });

/** Records that a user has seen an introduction to the interface. */
export const Splash = v.strictObject({ userId: v.number(), splashId: v.string(), seen: v.literal(true) });
export type Splash = v.InferOutput<typeof Splash>;
