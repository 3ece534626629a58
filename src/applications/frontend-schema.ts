import * as v from "valibot";
import { JsonObject } from "../lib/validation.ts";

/** A flag that is on for the given context. */
export const FrontendFlag = v.strictObject({
  name: v.string(),
  enabled: v.literal(true),
  variant: v.strictObject({
    name: v.string(),
    enabled: v.boolean(),
    payload: v.optional(v.strictObject({ type: v.string(), value: v.string() })),
    feature_enabled: v.literal(true),
    featureEnabled: v.literal(true),
  }),
  impressionData: v.boolean(),
});

export const FrontendFlags = v.strictObject({ toggles: v.array(FrontendFlag) });
export type FrontendFlags = v.InferOutput<typeof FrontendFlags>;

/** The context to evaluate flags for. */
export const FrontendRequest = v.object({ context: v.optional(JsonObject, {}) });
