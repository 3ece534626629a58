import type { Actor } from "../../access/actor.ts";
import { hiddenProjects } from "../../access/visibility.ts";
import type { Database } from "../../db/statement.ts";
import type { Context } from "../../evaluation/context.ts";
import { type Explanation, explain } from "../../evaluation/explain.ts";
import { strategiesOf } from "../../flags/strategies-store.ts";
import { invalid } from "../../lib/api-error.ts";
import { evaluatorOfProjects } from "../client/require.ts";
import { type CleanContext, contextLength, countContexts } from "./contexts.ts";
import type { PlaygroundRequest } from "./schema.ts";

/** A flag in an environment, ready to be evaluated for any context. */
export interface Trial {
  name: string;
  projectId: string;
  environment: string;
  explain(context: Context): object;
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
  const evaluator = evaluatorOfProjects(db, requested ?? "*", hidden, environment);
  return [...evaluator.features.values()].map((feature) => {
    const flag = { name: feature.name, projectId: feature.project, environment };
    return {
      ...flag,
      explain(context) {
        // Read only now: all flags' strategies at once would take long, and memory for as long as the client reads.
        const strategies = strategiesOf(db, { feature: feature.name, environment });
        return linked(flag, explain(evaluator, feature, strategies, context));
      },
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

/** Each evaluation is answered with its context. In characters. */
const MAX_REPEATED = 16 * 1024 * 1024;

/** @throws ApiError `ValidationError` for too many, or too long; contexts count even if there are no flags */
export function requireFewEvaluations(environments: number, features: number, context: CleanContext) {
  const contexts = countContexts(context);
  const evaluations = environments * Math.max(1, features) * contexts;
  const what = `${contexts} contexts, ${environments} environments and ${features} flags are`;
  const tooMany = (than: string) =>
    invalid({ path: "body.context", message: `${what} more than ${than}: request fewer` });
  if (evaluations > MAX_EVALUATIONS) throw tooMany(`${MAX_EVALUATIONS} evaluations`);
  if (evaluations * contextLength(context) > MAX_REPEATED)
    throw tooMany("an answer with long contexts holds");
}
