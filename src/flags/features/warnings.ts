import { nameWarnings } from "../../dataset/kind.ts";
import type { Database } from "../../db/database.ts";
import { isKnown } from "../../db/known.ts";
import type { Constraint } from "../../evaluation/constraint.ts";
import { constraintWarnings, isNumber } from "../../evaluation/constraint.ts";

/*
 * What a dataset may contain although the API would reject it: it is stored and returned as it is, but must be
 * corrected before it can be changed. Each warning begins with the path.
 */

type Weighted = { weight: number };

interface Strategy {
  name: string;
  parameters: Record<string, unknown>;
  constraints: Constraint[];
  variants: Weighted[];
}

interface Feature {
  name: string;
  type: string;
  environments: Array<{ variants: Weighted[]; strategies: Strategy[] }>;
}

export function* featureWarnings(db: Database, { name, type, environments }: Feature): Generator<string> {
  yield* nameWarnings("name", name);
  if (!isKnown(db, "featureType", type)) yield `type: there is no flag type ${JSON.stringify(type)}`;
  for (const [index, { variants, strategies }] of environments.entries()) {
    yield* weightWarnings(`environments.${index}.variants`, variants);
    for (const [order, strategy] of strategies.entries())
      yield* strategyWarnings(db, `environments.${index}.strategies.${order}`, strategy);
  }
}

function* strategyWarnings(db: Database, path: string, strategy: Strategy): Generator<string> {
  const { name, parameters, constraints, variants } = strategy;
  if (!isKnown(db, "strategyType", name)) yield `${path}.name: there is no strategy ${JSON.stringify(name)}`;
  const { rollout = "100" } = parameters;
  if (name === "flexibleRollout" && !(isNumber(rollout) && Number(rollout) >= 0 && Number(rollout) <= 100))
    yield `${path}.parameters.rollout: must be 0 to 100, not ${JSON.stringify(rollout)}`;
  yield* constraintWarnings(`${path}.constraints`, constraints);
  yield* weightWarnings(`${path}.variants`, variants);
}

function* weightWarnings(path: string, variants: Weighted[]): Generator<string> {
  const sum = variants.reduce((total, { weight }) => total + weight, 0);
  if (variants.length > 0 && sum !== 1000) yield `${path}: the weights must add up to 1000, not ${sum}`;
}
