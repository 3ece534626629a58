import type { Actor } from "../../auth/actor.ts";
import { hiddenProjects } from "../../auth/visibility.ts";
import type { Database } from "../../db/statement.ts";
import { toContext } from "../../evaluation/context.ts";
import { type Explanation, explain } from "../../evaluation/explain.ts";
import { invalid } from "../../http/error.ts";
import { evaluatorOfProjects } from "../client/require.ts";
import type { Given } from "./contexts.ts";
import type { PlaygroundQuestion } from "./schema.ts";
import { strategiesByFeature } from "./store.ts";

/** A flag in an environment, ready to be evaluated for any context. */
export interface Trial {
  name: string;
  projectId: string;
  environment: string;
  explain(given: Given): object;
}

/**
 * The live flags of some projects in an environment, by name, as an application would see them with a token for these
 * projects; without those hidden from the caller.
 */
export function trials(
  db: Database,
  actor: Actor,
  asked: PlaygroundQuestion["projects"],
  environment: string,
): Trial[] {
  const hidden = hiddenProjects(db, actor);
  const { evaluator, projects } = evaluatorOfProjects(db, asked ?? "*", hidden, environment);
  const strategies = strategiesByFeature(db, projects, environment);
  return [...evaluator.features.values()].map((feature) => {
    const place = { name: feature.name, projectId: feature.project, environment };
    const own = strategies.get(feature.name) ?? [];
    return {
      ...place,
      explain: (given) => linked(place, explain(evaluator, feature, own, toContext(given, { environment }))),
    };
  });
}

/** Adds to each strategy a link to the page where it can be edited, at the original's path. */
function linked({ name, projectId, environment }: Omit<Trial, "explain">, explanation: Explanation) {
  const edit = `/projects/${projectId}/features/${name}/strategies/edit?environmentId=${environment}&strategyId=`;
  const data = explanation.strategies.data.map((one) => ({ ...one, links: { edit: edit + one.id } }));
  return { ...explanation, strategies: { ...explanation.strategies, data }, name, projectId };
}

/** The most flag evaluations for one answer (original). */
const MOST_EVALUATIONS = 15_000;

/** @throws ApiError `ValidationError` if it takes more; contexts count even if there are no flags */
export function requireFew(environments: number, features: number, contexts: number) {
  if (environments * Math.max(1, features) * contexts <= MOST_EVALUATIONS) return;
  throw invalid({
    path: "body.context",
    message: `${contexts} contexts, ${environments} environments and ${features} flags are more than ${MOST_EVALUATIONS} evaluations: ask for fewer of them`,
  });
}
