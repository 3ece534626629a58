import * as v from "valibot";
import { ShortText, Timestamp } from "../../lib/validation.ts";

/** The stages of a flag's life, in order. */
export const STAGES = ["initial", "pre-live", "live", "completed", "archived"] as const;
export type Stage = (typeof STAGES)[number];

/** A stage that a flag has reached. */
export const CurrentStage = v.strictObject({
  stage: v.picklist(STAGES),
  enteredStageAt: Timestamp,
  status: v.optional(v.string()),
});
export type CurrentStage = v.InferOutput<typeof CurrentStage>;

/** What became of the feature behind a flag; `statusValue` names the variant that was kept. */
export const Completion = v.object({
  status: v.picklist(["kept", "discarded"]),
  statusValue: v.optional(ShortText),
});
export type Completion = v.InferOutput<typeof Completion>;
