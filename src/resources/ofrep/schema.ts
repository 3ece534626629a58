import * as v from "valibot";

/** Why a flag has its value, in OpenFeature's words. */
export const REASONS = ["STATIC", "TARGETING_MATCH", "SPLIT", "DEFAULT", "DISABLED"] as const;

/** What came of a flag; without a value the application takes its own. */
export const FlagValue = v.strictObject({
  key: v.string(),
  value: v.optional(v.unknown()),
  reason: v.picklist(REASONS),
  variant: v.optional(v.string()),
  metadata: v.record(v.string(), v.string()),
});
export type FlagValue = v.InferOutput<typeof FlagValue>;

/** A flag that could not be evaluated. */
export const FlagFailure = v.strictObject({
  key: v.optional(v.string()),
  errorCode: v.picklist(["FLAG_NOT_FOUND", "PARSE_ERROR", "INVALID_CONTEXT", "GENERAL"]),
  errorDetails: v.string(),
});
export type FlagFailure = v.InferOutput<typeof FlagFailure>;

export const FlagAnswer = v.union([FlagValue, FlagFailure]);

/** Where an application listens that wants to know when to ask again. */
const Listening = v.strictObject({
  type: v.literal("sse"),
  endpoint: v.strictObject({ requestUri: v.string() }),
});

export const FlagValues = v.union([
  v.strictObject({ flags: v.array(FlagAnswer), eventStreams: v.array(Listening) }),
  FlagFailure,
]);

/** What it is told there. */
export const Refetch = v.strictObject({ type: v.literal("refetchEvaluation") });

/** Who asks; looked at by the operation, for its refusals have words of their own. */
export const Question = v.object({ context: v.optional(v.unknown()) });
