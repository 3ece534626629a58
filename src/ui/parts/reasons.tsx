import type { Output } from "../api.ts";
import { constraintInWords, strategyInWords } from "../sentence.ts";
import { Badge } from "./words.tsx";

export type EvaluatedFeature = Output<"POST /api/admin/playground">["features"][number];
type EvaluatedStrategy = EvaluatedFeature["strategies"]["data"][number];

/** Whether a flag is on for a context, and the strategies and constraints that decide it. */
export const Reasons = ({ feature }: { feature: EvaluatedFeature }) => {
  const { isEnabled, isEnabledInCurrentEnvironment, hasUnsatisfiedDependency, error, variant, strategies } =
    feature;
  return (
    <section class="reasons">
      <p>
        <bdi>{feature.name}</bdi> is <Verdict result={isEnabled} />
        {variant.enabled && (
          <>
            {" "}
            with the variant{" "}
            <strong>
              <bdi>{variant.name}</bdi>
            </strong>
          </>
        )}
        {!isEnabledInCurrentEnvironment && ": the flag is off in this environment"}
        {error !== undefined && `: it can't be evaluated: ${error}`}
        {hasUnsatisfiedDependency && ": the flag it depends on is not in the required state"}
      </p>
      <ul>
        {strategies.data.map((strategy) => (
          <Reason key={strategy.id} strategy={strategy} />
        ))}
      </ul>
    </section>
  );
};

const Reason = ({ strategy }: { strategy: EvaluatedStrategy }) => (
  <li>
    <Verdict result={strategy.result.enabled} /> {strategyInWords({ ...strategy, constraints: [] })}
    {strategy.disabled && " (disabled)"}
    <ul>
      {strategy.segments.map(({ id, name, result }) => (
        <li key={id}>
          <Verdict result={result} words={MET} /> in the segment <bdi>{name}</bdi>
        </li>
      ))}
      {strategy.constraints.map((constraint, index) => (
        <li key={index}>
          <Verdict result={constraint.result} words={MET} /> {constraintInWords(constraint)}
        </li>
      ))}
    </ul>
  </li>
);

/** The wording for segments and constraints. */
const MET = ["met", "not met"] as const;

interface VerdictProps {
  result: boolean | "unknown";
  words?: readonly [good: string, bad: string];
}

const Verdict = ({ result, words: [good, bad] = ["on", "off"] }: VerdictProps) =>
  result === "unknown" ? (
    <Badge>only the application can tell</Badge>
  ) : (
    <Badge tone={result ? "good" : "bad"}>{result ? good : bad}</Badge>
  );
