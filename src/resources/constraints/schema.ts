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
 * A condition on the context of an evaluation. Stored as it is answered, the defaults filled in. An import may bring an
 * operator that is not known: it holds for nobody.
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

/** One as it is asked for. */
export const NewConstraint = v.object({
  ...Constraint.entries,
  operator: v.picklist(OPERATORS as readonly string[], "is not a known operator"),
});

/** A strategy and where it stands, as what it uses tells of it. */
export const StrategyUse = v.strictObject({
  id: v.string(),
  projectId: v.string(),
  featureName: v.string(),
  strategyName: v.string(),
  environment: v.string(),
});
export type StrategyUse = v.InferOutput<typeof StrategyUse>;
