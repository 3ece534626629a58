import type { Output } from "../api.ts";
import { constraintInWords, strategyInWords } from "../sentence.ts";
import { Badge } from "./words.tsx";

export type JudgedFeature = Output<"POST /api/admin/playground">["features"][number];
type JudgedStrategy = JudgedFeature["strategies"]["data"][number];

/** Whether a flag is on for a context, and which strategies and conditions make it so. */
export const Reasons = ({ feature }: { feature: JudgedFeature }) => {
  const { isEnabled, isEnabledInCurrentEnvironment, hasUnsatisfiedDependency, variant, strategies } = feature;
  return (
    <section class="reasons" aria-live="polite">
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
        {!isEnabledInCurrentEnvironment && ": it is switched off here"}
        {hasUnsatisfiedDependency && ": the flag it depends on is not as it has to be"}
      </p>
      <ul>
        {strategies.data.map((strategy) => (
          <Reason key={strategy.id} strategy={strategy} />
        ))}
      </ul>
    </section>
  );
};

const Reason = ({ strategy }: { strategy: JudgedStrategy }) => (
  <li>
    <Verdict result={strategy.result.enabled} /> {strategyInWords({ ...strategy, constraints: [] })}
    {strategy.disabled && " (disabled)"}
    <ul>
      {strategy.segments.map(({ id, name, result }) => (
        <li key={id}>
          <Verdict result={result} /> in the segment <bdi>{name}</bdi>
        </li>
      ))}
      {strategy.constraints.map((constraint, index) => (
        <li key={index}>
          <Verdict result={constraint.result} /> {constraintInWords(constraint)}
        </li>
      ))}
    </ul>
  </li>
);

const Verdict = ({ result }: { result: boolean | "unknown" }) =>
  result === "unknown" ? (
    <Badge>only the application knows</Badge>
  ) : (
    <Badge tone={result ? "good" : "bad"}>{result ? "on" : "off"}</Badge>
  );
