import type { Explanation, JudgedConstraint, JudgedStrategy } from "../evaluation/explain.ts";

/** Why a flag is on or off, line by line: a sentence, then each strategy with its parts. */
export function explanationLines(explanation: Explanation & { name: string }, environment: string): string[] {
  const { name, isEnabled, variant, strategies } = explanation;
  const first = isEnabled
    ? `${name} is on in ${environment}${variant.enabled ? `, with the variant ${variant.name}` : ""}`
    : `${name} is off in ${environment}: ${whyOff(explanation)}`;
  return [first, ...strategies.data.flatMap(strategyLines)];
}

function whyOff({ isEnabledInCurrentEnvironment, hasUnsatisfiedDependency, strategies, error }: Explanation) {
  if (!isEnabledInCurrentEnvironment) return "it is disabled there";
  if (error !== undefined) return `it can't be evaluated: ${error}`;
  if (hasUnsatisfiedDependency) return "a flag that it depends on is not in the required state";
  return strategies.result === "unknown"
    ? "only the application can evaluate one of its strategies"
    : "none of its strategies matches";
}

function strategyLines({ name, title, result, constraints, segments }: JudgedStrategy): string[] {
  const outcome = result.evaluationStatus === "unevaluated" ? "is disabled" : verdict(result.enabled);
  return [
    `  ${title ? `${title} (${name})` : name} ${outcome}`,
    ...constraints.map((one) => `    ${constraintLine(one)}`),
    ...segments.flatMap((segment) => [
      `    segment ${segment.name} ${verdict(segment.result)}`,
      ...segment.constraints.map((one) => `      ${constraintLine(one)}`),
    ]),
  ];
}

const constraintLine = ({ contextName, operator, inverted, value, values, result }: JudgedConstraint) =>
  `${contextName} ${inverted ? "not " : ""}${operator} ${value ?? values.join(", ")} ${verdict(result)}`;

const verdict = (result: boolean | "unknown") =>
  result === "unknown" ? "can only be evaluated by the application" : result ? "matches" : "does not match";
