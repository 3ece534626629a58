import * as v from "valibot";

export const OPERATORS = [
  "NOT_IN",
  "IN",
  "STR_ENDS_WITH",
  "STR_STARTS_WITH",
  "STR_CONTAINS",
  "NUM_EQ",
  "NUM_GT",
  "NUM_GTE",
  "NUM_LT",
  "NUM_LTE",
  "DATE_AFTER",
  "DATE_BEFORE",
  "SEMVER_EQ",
  "SEMVER_GT",
  "SEMVER_GTE",
  "SEMVER_LT",
  "SEMVER_LTE",
  "REGEX",
  "IN_CIDR",
] as const;

/**
 * A condition on the evaluation context. Stored in its wire form, with defaults filled in. An import may contain
 * an unknown operator, which never matches.
 */
export const Constraint = v.strictObject({
  contextName: v.string(),
  operator: v.string(),
  caseInsensitive: v.optional(v.boolean(), false),
  inverted: v.optional(v.boolean(), false),
  values: v.optional(v.array(v.string()), []),
  value: v.optional(v.string()),
});
export type Constraint = v.InferOutput<typeof Constraint>;

/** A constraint in a request. */
export const NewConstraint = v.object({
  ...Constraint.entries,
  operator: v.picklist(OPERATORS as readonly string[], "is not a known operator"),
});

/** A strategy that uses something, and where it is. */
export const StrategyUse = v.strictObject({
  id: v.string(),
  projectId: v.string(),
  featureName: v.string(),
  strategyName: v.string(),
  environment: v.string(),
});
export type StrategyUse = v.InferOutput<typeof StrategyUse>;
