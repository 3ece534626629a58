import { evaluation } from "#on-demand";
import type { ClientFeature, ClientSegment } from "./client-feature.ts";
import type { Context } from "./context.ts";

/*
 * The evaluator of the Node SDK decides whether a flag is on and with which variant, so that the result is the same as
 * in applications. It is given flags and a context, and uses neither files nor the network.
 */

/** The result for a flag; without a variant, the name is `disabled`. */
export interface Evaluation {
  name: string;
  enabled: boolean;
  payload?: { type: string; value: string };
  feature_enabled: boolean;
  featureEnabled: boolean;
  /** Why the flag could not be evaluated; it is off then. */
  error?: string;
}

/** The result for strategies: the variant of the first that matches, if it has any. */
export interface Result {
  enabled: boolean;
  variant?: Pick<Evaluation, "name" | "enabled" | "payload">;
}

export interface Evaluator {
  /** By name. */
  features: ReadonlyMap<string, ClientFeature>;
  /** By id. */
  segments: ReadonlyMap<number, ClientSegment>;
  evaluate(name: string, context: Context): Evaluation;
  /** Evaluates a flag that need not be one of `features`, without its own variants. */
  judge(feature: ClientFeature, context: Context): Result;
}

/** Except by host name: this server's own name means nothing to applications. */
const known = () =>
  (strategies ??= evaluation().strategies.filter(({ name }) => name !== "applicationHostname"));

let strategies: ReturnType<typeof evaluation>["strategies"] | undefined;

/** Whether this strategy can be evaluated here; custom ones are known only to applications. */
export const isEvaluable = (strategy: string) => known().some(({ name }) => name === strategy);

/** An evaluator of the flags of one environment. */
export function createEvaluator(flags: readonly ClientFeature[], list: readonly ClientSegment[]): Evaluator {
  const features = new Map(flags.map((feature) => [feature.name, feature]));
  const segments = new Map(list.map((segment) => [segment.id, segment]));
  const { Client } = evaluation();
  const repository = {
    getToggle: (name: string) => features.get(name),
    getSegment: (id: number) => segments.get(id),
  };
  const client = new Client(repository as never, known());
  client.on("error", () => {}); // whatever it can't evaluate is off
  client.on("warn", () => {});
  return {
    features,
    segments,
    evaluate: (name, context) =>
      orOff(() => client.getVariant(name, context as never) as unknown as Evaluation),
    judge: (feature, context) =>
      orOff(() => client.isFeatureEnabled(feature as never, context as never, () => false) as Result),
  };
}

const OFF: Evaluation = { name: "disabled", enabled: false, feature_enabled: false, featureEnabled: false };

/** Some values make the evaluator throw, which must not fail other flags of the same request. */
function orOff<R extends Result | Evaluation>(evaluate: () => R): R | Evaluation {
  try {
    return evaluate();
  } catch (error) {
    return { ...OFF, error: (error as Error).message };
  }
}
