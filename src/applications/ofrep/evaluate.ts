import type { ClientFeature } from "../../evaluation/client-feature.ts";
import type { Context } from "../../evaluation/context.ts";
import type { Evaluator } from "../../evaluation/evaluator.ts";
import type { FlagFailure, FlagValue } from "./schema.ts";

/** The contexts to evaluate flags for. */
export interface EvaluationContexts {
  context: Context;
  /** The same, with a fixed session if it has none. */
  inSession: Context;
}

/** A flag's value for a context, in OpenFeature's terms. */
export function flagValue(
  evaluator: Evaluator,
  feature: ClientFeature,
  { context: withoutSession, inSession }: EvaluationContexts,
): FlagValue | FlagFailure {
  const { name: key, project, type } = feature;
  const context = dependsOnSession(evaluator, feature) ? withoutSession : inSession;
  const {
    feature_enabled: isOn,
    enabled: hasVariant,
    name: variant,
    payload,
    error,
  } = evaluator.evaluate(key, context);
  const value = isOn ? parsed(payload) : offValue(feature);
  if (value === UNPARSABLE)
    return { key, errorCode: "PARSE_ERROR", errorDetails: `The payload of ${variant} is not valid JSON` };
  return {
    key,
    ...(value !== undefined && { value }),
    reason: error === undefined ? reasonOf(feature, isOn, hasVariant) : "ERROR",
    ...(hasVariant && { variant }),
    metadata: { project, type, environment: context.environment ?? "", ...(error && { error }) },
  };
}

/** Whether the result depends on which session it is, and not only on its staying the same. */
const dependsOnSession = ({ features, segments: all }: Evaluator, feature: ClientFeature): boolean =>
  [feature, ...(feature.dependencies ?? []).map((parent) => features.get(parent.feature))].some((flag) =>
    flag?.strategies.some(
      ({ name, parameters, constraints, segments = [] }) =>
        name === "gradualRolloutSessionId" ||
        parameters.stickiness === "sessionId" ||
        [constraints, ...segments.map((id) => all.get(id)?.constraints ?? [])]
          .flat()
          .some(({ contextName }) => contextName === "sessionId"),
    ),
  );

const UNPARSABLE = Symbol();

/** The payload according to its type; true if there is none. */
function parsed(payload: { type: string; value: string } | undefined): unknown {
  if (!payload) return true;
  if (payload.type === "number") return Number(payload.value);
  if (payload.type !== "json") return payload.value;
  try {
    return JSON.parse(payload.value);
  } catch {
    return UNPARSABLE;
  }
}

/** The value of a flag that is off: none if it has payloads, so that the application's default applies. */
function offValue({ variants, strategies }: ClientFeature): false | undefined {
  const all = [...variants, ...strategies.flatMap((strategy) => strategy.variants)];
  return all.some(({ payload }) => payload !== undefined) ? undefined : false;
}

function reasonOf(
  { enabled, strategies }: ClientFeature,
  isOn: boolean,
  hasVariant: boolean,
): FlagValue["reason"] {
  if (!enabled) return "DISABLED";
  if (!isOn) return "DEFAULT";
  if (hasVariant || strategies.some(({ parameters }) => isSplit(parameters))) return "SPLIT";
  return strategies.every(isForEveryone) ? "STATIC" : "TARGETING_MATCH";
}

const isSplit = ({ rollout, percentage }: Record<string, string>) =>
  Number(rollout ?? percentage ?? 100) < 100;

const isForEveryone = ({ name, constraints, segments = [] }: ClientFeature["strategies"][number]) =>
  constraints.length === 0 && segments.length === 0 && (name === "default" || name === "flexibleRollout");
