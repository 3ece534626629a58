import * as v from "valibot";

/** Why a flag has its value, in OpenFeature's terms. */
export const REASONS = ["STATIC", "TARGETING_MATCH", "SPLIT", "DEFAULT", "DISABLED", "ERROR"] as const;

/** The result of an evaluation; without a value, the application uses its default. */
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

export const EvaluationResult = v.union([FlagValue, FlagFailure]);

/** Where an application can listen for changes instead of polling. */
const StreamEndpoint = v.strictObject({
  type: v.literal("sse"),
  endpoint: v.strictObject({ requestUri: v.string() }),
});

export const FlagValues = v.union([
  v.strictObject({ flags: v.array(EvaluationResult), eventStreams: v.array(StreamEndpoint) }),
  FlagFailure,
]);

export const Refetch = v.strictObject({ type: v.literal("refetchEvaluation") });

/** The context, checked by the operation itself, since OFREP has its own format for errors. */
export const EvaluationRequest = v.object({ context: v.optional(v.unknown()) });
