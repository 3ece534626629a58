import * as v from "valibot";
import type { ClientFeature } from "./client-feature.ts";
import { Constraint } from "./constraint.ts";
import type { Context } from "./context.ts";
import { createEvaluator, type Evaluator, isEvaluable, type Result } from "./evaluator.ts";
import type { Strategy } from "./strategy.ts";
import { FlagVariant, Variant } from "./variant.ts";

/*
 * Explains why a flag is on or off by running the evaluator on each strategy, constraint and segment separately, and
 * combining the results: so the explanation and the result come from the same code.
 */

/** A strategy to explain, which may be disabled. */
type Explained = Pick<
  Strategy,
  "id" | "name" | "title" | "disabled" | "parameters" | "constraints" | "segments" | "variants"
>;

/** True, false, or unknown if only the application can decide. */
const Outcome = v.union([v.boolean(), v.literal("unknown")]);

const ChosenVariant = v.strictObject({
  name: v.string(),
  enabled: v.boolean(),
  payload: v.optional(v.strictObject({ type: v.string(), value: v.string() })),
});

/** A constraint, and whether it matches. */
const JudgedConstraint = v.strictObject({ ...Constraint.entries, result: v.boolean() });
export type JudgedConstraint = v.InferOutput<typeof JudgedConstraint>;

/** Whether a strategy turns its flag on, `unknown` also if it is disabled; and the variant it would return. */
const StrategyResult = v.strictObject({
  enabled: Outcome,
  evaluationStatus: v.picklist(["complete", "incomplete", "unevaluated"]),
  variant: v.optional(ChosenVariant),
  variants: v.optional(v.array(Variant)),
});
type StrategyResult = v.InferOutput<typeof StrategyResult>;

export const JudgedStrategy = v.strictObject({
  name: v.string(),
  id: v.string(),
  title: v.optional(v.string()),
  disabled: v.boolean(),
  parameters: v.record(v.string(), v.string()),
  result: StrategyResult,
  constraints: v.array(JudgedConstraint),
  segments: v.array(
    v.strictObject({
      name: v.string(),
      id: v.number(),
      result: v.boolean(),
      constraints: v.array(JudgedConstraint),
    }),
  ),
});
export type JudgedStrategy = v.InferOutput<typeof JudgedStrategy>;

/**
 * Whether a flag is on, and why. In its environment it is enabled regardless of its strategies; `featureEnabled` is set
 * if it is on without a variant (original); `variants` are those that `variant` was chosen from; with an `error`, it
 * could not be evaluated, and is off.
 */
export const Explanation = v.strictObject({
  isEnabled: v.boolean(),
  isEnabledInCurrentEnvironment: v.boolean(),
  hasUnsatisfiedDependency: v.boolean(),
  strategies: v.strictObject({ result: Outcome, data: v.array(JudgedStrategy) }),
  variant: v.strictObject({
    ...ChosenVariant.entries,
    feature_enabled: v.boolean(),
    featureEnabled: v.optional(v.boolean()),
  }),
  variants: v.array(FlagVariant),
  error: v.optional(v.string()),
});
export type Explanation = v.InferOutput<typeof Explanation>;

/** @param strategies all of the flag's, in order; `feature` has only the enabled ones */
export function explain(
  evaluator: Evaluator,
  feature: ClientFeature,
  strategies: readonly Explained[],
  context: Context,
): Explanation {
  const data = strategies.map((strategy) => judgeStrategy(evaluator, strategy, context));
  const result = combined(data, feature);
  const on = { ...feature, enabled: true, strategies: [] };
  const hasUnsatisfiedDependency = !evaluator.judge(on, context).enabled;
  const { error } = evaluator.evaluate(feature.name, context);
  const isEnabled = result === true && feature.enabled && !hasUnsatisfiedDependency && error === undefined;
  return {
    isEnabled,
    isEnabledInCurrentEnvironment: feature.enabled,
    hasUnsatisfiedDependency,
    strategies: { result, data },
    ...variantOf(feature, data, isEnabled, context),
    ...(error !== undefined && { error }),
  };
}

/** Disabled strategies are ignored, and an enabled flag without others is on. */
function combined(data: readonly JudgedStrategy[], feature: ClientFeature): boolean | "unknown" {
  if (feature.strategies.length === 0) return feature.enabled;
  const counted = data.filter(({ disabled }) => !disabled);
  return (
    counted.some(({ result }) => result.enabled === true) ||
    (counted.some(({ result }) => result.enabled === "unknown") && "unknown")
  );
}

/** The variant of the first strategy that matches, or else the flag's own. */
function variantOf(
  feature: ClientFeature,
  data: readonly JudgedStrategy[],
  isEnabled: boolean,
  context: Context,
): Pick<Explanation, "variant" | "variants"> {
  const { variant, variants = feature.variants } =
    data.find(({ result }) => result.enabled === true)?.result ?? {};
  if (!isEnabled) return { variant: { name: "disabled", enabled: false, feature_enabled: false }, variants };
  if (variant) return { variant: { ...variant, feature_enabled: true }, variants };
  const { dependencies: _, ...plain } = { ...feature, strategies: [] };
  const {
    featureEnabled,
    error: _error,
    ...own
  } = createEvaluator([plain], []).evaluate(feature.name, context);
  return { variant: own.enabled ? own : { ...own, featureEnabled }, variants };
}

function judgeStrategy(evaluator: Evaluator, strategy: Explained, context: Context): JudgedStrategy {
  const { id, name, title, disabled, parameters } = strategy;
  const judgeAll = (list: readonly Constraint[]) =>
    list.map((one) => ({ ...one, result: judge(evaluator, { constraints: [one] }, context).enabled }));
  const constraints = judgeAll(strategy.constraints);
  const segments = strategy.segments.map((segment) => {
    const { name = "", constraints = [] } = evaluator.segments.get(segment) ?? {};
    const judged = judgeAll(constraints);
    return { name, id: segment, result: judged.every(holds), constraints: judged };
  });
  const isPossible = constraints.every(holds) && segments.every(holds);
  const result = resultOf(evaluator, strategy, isPossible, context);
  return { name, id, ...(title !== null && { title }), disabled, parameters, result, constraints, segments };
}

const holds = ({ result }: { result: boolean }) => result;

function resultOf(
  evaluator: Evaluator,
  strategy: Explained,
  isPossible: boolean,
  context: Context,
): StrategyResult {
  if (strategy.disabled) return { enabled: "unknown", evaluationStatus: "unevaluated" };
  const { name, parameters, constraints, segments, variants } = strategy;
  if (!isEvaluable(name)) return { enabled: isPossible && "unknown", evaluationStatus: "incomplete" };
  const { enabled } = judge(evaluator, { name, parameters, constraints, segments }, context);
  const { variant } = judge(evaluator, { parameters, variants }, context);
  return { enabled, evaluationStatus: "complete", ...(variant && { variant, variants }) };
}

type ClientStrategy = ClientFeature["strategies"][number];

/** Evaluates one strategy; missing parts always match. */
const judge = (evaluator: Evaluator, strategy: Partial<ClientStrategy>, context: Context): Result =>
  evaluator.judge(
    {
      ...BLANK,
      strategies: [{ name: "default", constraints: [], parameters: {}, variants: [], ...strategy }],
    },
    context,
  );

const BLANK: ClientFeature = {
  name: "",
  type: "release",
  enabled: true,
  project: "",
  stale: false,
  strategies: [],
  variants: [],
  description: null,
  impressionData: false,
};
