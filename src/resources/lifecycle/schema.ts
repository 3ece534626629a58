import * as v from "valibot";
import { ShortText, Timestamp } from "../../validation.ts";

/** How far a flag has come, in this order. */
export const STAGES = ["initial", "pre-live", "live", "completed", "archived"] as const;
export type Stage = (typeof STAGES)[number];

/** Where a flag is now. */
export const CurrentStage = v.strictObject({
  stage: v.picklist(STAGES),
  enteredStageAt: Timestamp,
  status: v.optional(v.string()),
});
export type CurrentStage = v.InferOutput<typeof CurrentStage>;

/** What became of what a flag brought; `statusValue` names the variant that was kept. */
export const Completion = v.object({
  status: v.picklist(["kept", "discarded"]),
  statusValue: v.optional(ShortText),
});
export type Completion = v.InferOutput<typeof Completion>;
