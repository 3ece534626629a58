import { useState } from "preact/hooks";
import type { Output } from "../api.ts";
import { constraintInWords, strategyInWords } from "../sentence.ts";
import { type Context, toContext, toInput, useContextFields } from "./context.tsx";
import { Dialog } from "./dialog.tsx";
import { choice, choicesOf } from "./fields.tsx";
import { Form, useForm } from "./form.tsx";
import { Badge, Name } from "./words.tsx";

export type EvaluatedFlag = Output<"POST /api/admin/playground">["features"][number];

export interface TryProps {
  title: string;
  environments: readonly string[];
  /** The one that is chosen at first. */
  environment: string;
  evaluate(context: Context, environment: string): Promise<readonly EvaluatedFlag[]>;
}

/** Evaluates flags for a context, and explains the results. */
export function TryDialog({ title, environments, environment, evaluate }: TryProps) {
  const [results, setResults] = useState<readonly EvaluatedFlag[]>([]);
  const form = useForm({ environment, ...toInput({}, "") }, async (values) =>
    setResults(await evaluate(toContext(values), values.environment)),
  );
  const fields = { environment: choice("Environment", choicesOf(environments)), ...useContextFields(form) };
  return (
    <Dialog title={title} isWide>
      <Form form={form} fields={fields} submit="Evaluate" />
      <div aria-live="polite">
        {results.map((feature) => (
          <Reasons key={feature.name} feature={feature} />
        ))}
      </div>
    </Dialog>
  );
}

/** Whether a flag is on for a context, and the strategies and constraints that decide it. */
export function Reasons({ feature }: { feature: EvaluatedFlag }) {
  const { name, isEnabled, isEnabledInCurrentEnvironment, hasUnsatisfiedDependency, error } = feature;
  return (
    <section class="reasons">
      <p>
        <bdi>{name}</bdi> is <Verdict result={isEnabled} />
        {feature.variant.enabled && (
          <>
            {" "}
            with the variant <Name>{feature.variant.name}</Name>
          </>
        )}
        {!isEnabledInCurrentEnvironment && ": the flag is off in this environment"}
        {error !== undefined && `: it can't be evaluated: ${error}`}
        {hasUnsatisfiedDependency && ": the flag it depends on is not in the required state"}
      </p>
      <ul>
        {feature.strategies.data.map((strategy) => (
          <li key={strategy.id}>
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
        ))}
      </ul>
    </section>
  );
}

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
