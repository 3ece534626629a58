import type { ClientFeature, ClientSegment } from "./client-feature.ts";
import type { Constraint } from "./constraint.ts";
import type { Context } from "./context.ts";
import { createEvaluator, type Evaluation, type Evaluator, isEvaluable, type Result } from "./evaluator.ts";
import type { Strategy } from "./strategy.ts";
import type { Variant } from "./variant.ts";

/*
 * Explains why a flag is on or off by running the evaluator on each strategy, constraint and segment separately, and
 * combining the results: so the explanation and the result come from the same code.
 */

/** A strategy to explain, which may be disabled. */
type Explained = Pick<
  Strategy,
  "id" | "name" | "title" | "disabled" | "parameters" | "constraints" | "segments" | "variants"
>;

/** A constraint, and whether it matches. */
export type JudgedConstraint = Constraint & { result: boolean };

export interface JudgedStrategy extends Pick<Strategy, "id" | "name" | "disabled" | "parameters"> {
  title?: string;
  result: StrategyResult;
  constraints: JudgedConstraint[];
  segments: Array<Pick<ClientSegment, "id" | "name"> & { result: boolean; constraints: JudgedConstraint[] }>;
}

/**
 * Whether a strategy turns its flag on: `unknown` if only the application can tell, or if it is disabled. The variant
 * is the one it would return.
 */
interface StrategyResult {
  enabled: boolean | "unknown";
  evaluationStatus: "complete" | "incomplete" | "unevaluated";
  variant?: NonNullable<Result["variant"]>;
  variants?: Variant[];
}

export interface Explanation {
  isEnabled: boolean;
  /** It is enabled, regardless of its strategies. */
  isEnabledInCurrentEnvironment: boolean;
  hasUnsatisfiedDependency: boolean;
  strategies: { result: boolean | "unknown"; data: JudgedStrategy[] };
  /** `featureEnabled` is set if the flag is on without a variant (original). */
  variant: Omit<Evaluation, "featureEnabled"> & { featureEnabled?: boolean };
  /** The variants that `variant` was chosen from. */
  variants: ClientFeature["variants"];
  /** Why the flag could not be evaluated; it is off then. */
  error?: string;
}

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
