import library from "unleash-client/lib/client.js";
import strategies from "unleash-client/lib/strategy/index.js";
import type { ClientFeature, ClientSegment } from "../resources/client/schema.ts";
import type { Context } from "./context.ts";

/*
 * Whether a flag is on, and with which variant, is decided by the evaluator of the Node SDK, so that it is decided here
 * as it is in applications. It is given flags and a context and knows neither files nor networks.
 */

/** What came of a flag; without a variant its name is `disabled`. */
export interface Evaluation {
  name: string;
  enabled: boolean;
  payload?: { type: string; value: string };
  feature_enabled: boolean;
  featureEnabled: boolean;
}

/** What came of strategies: the variant of the first that holds, if it has any. */
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
  /** Whether a flag that need not be one of them would be on, its own variants aside. */
  judge(feature: ClientFeature, context: Context): Result;
}

/** The name of this server's host is no application's. */
const known = strategies.defaultStrategies.filter(({ name }) => name !== "applicationHostname");

/** Whether this strategy can be evaluated; of others only applications know what they do. */
export const isKnown = (strategy: string) => known.some(({ name }) => name === strategy);

/** An evaluator of the flags of one environment. */
export function createEvaluator(flags: readonly ClientFeature[], list: readonly ClientSegment[]): Evaluator {
  const features = new Map(flags.map((feature) => [feature.name, feature]));
  const segments = new Map(list.map((segment) => [segment.id, segment]));
  const repository = {
    getToggle: (name: string) => features.get(name),
    getSegment: (id: number) => segments.get(id),
  };
  const client = new library.default(repository as never, known);
  client.on("error", () => {}); // what it can't evaluate is off
  client.on("warn", () => {});
  return {
    features,
    segments,
    evaluate: (name, context) => client.getVariant(name, context as never) as unknown as Evaluation,
    judge: (feature, context) =>
      client.isFeatureEnabled(feature as never, context as never, () => false) as Result,
  };
}
