import type { Actor } from "../../auth/actor.ts";
import { hiddenProjects } from "../../auth/visibility.ts";
import type { Database } from "../../db/statement.ts";
import { toContext } from "../../evaluation/context.ts";
import { type Explanation, explain } from "../../evaluation/explain.ts";
import { invalid } from "../../http/error.ts";
import { evaluatorOfProjects } from "../client/require.ts";
import type { ContextValues } from "./contexts.ts";
import type { PlaygroundRequest } from "./schema.ts";
import { strategiesByFeature } from "./store.ts";

/** A flag in an environment, ready to be evaluated for any context. */
export interface Trial {
  name: string;
  projectId: string;
  environment: string;
  explain(values: ContextValues): object;
}

/**
 * The live flags of some projects in an environment, by name, as an application would see them with a token for these
 * projects; without those hidden from the caller.
 */
export function trials(
  db: Database,
  actor: Actor,
  requested: PlaygroundRequest["projects"],
  environment: string,
): Trial[] {
  const hidden = hiddenProjects(db, actor);
  const { evaluator, projects } = evaluatorOfProjects(db, requested ?? "*", hidden, environment);
  const strategies = strategiesByFeature(db, projects, environment);
  return [...evaluator.features.values()].map((feature) => {
    const flag = { name: feature.name, projectId: feature.project, environment };
    const stored = strategies.get(feature.name) ?? [];
    return {
      ...flag,
      explain: (values) =>
        linked(flag, explain(evaluator, feature, stored, toContext(values, { environment }))),
    };
  });
}

/** Adds to each strategy a link to the page where it can be edited, at the original's path. */
function linked({ name, projectId, environment }: Omit<Trial, "explain">, explanation: Explanation) {
  const edit = `/projects/${projectId}/features/${name}/strategies/edit?environmentId=${environment}&strategyId=`;
  const data = explanation.strategies.data.map((strategy) => ({
    ...strategy,
    links: { edit: edit + strategy.id },
  }));
  return { ...explanation, strategies: { ...explanation.strategies, data }, name, projectId };
}

/** The maximum number of flag evaluations per request (original). */
const MAX_EVALUATIONS = 15_000;

/** @throws ApiError `ValidationError` for too many; contexts count even if there are no flags */
export function requireFewEvaluations(environments: number, features: number, contexts: number) {
  if (environments * Math.max(1, features) * contexts <= MAX_EVALUATIONS) return;
  throw invalid({
    path: "body.context",
    message: `${contexts} contexts, ${environments} environments and ${features} flags are more than ${MAX_EVALUATIONS} evaluations: request fewer`,
  });
}
