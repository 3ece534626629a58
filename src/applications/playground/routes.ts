import { snapshot } from "../../db/snapshot.ts";
import { toContext } from "../../evaluation/context.ts";
import { inChunks, JsonStream } from "../../http/json-stream.ts";
import { operation } from "../../http/operation.ts";
import { type ContextValues, cleanContext, contextsIn, toContextValues } from "./contexts.ts";
import { requireFewEvaluations, type Trial, trials } from "./require.ts";
import {
  AdvancedPlaygroundRequest,
  AdvancedPlaygroundResponse,
  PlaygroundRequest,
  PlaygroundResponse,
} from "./schema.ts";

export const tryContext = operation({
  id: "getPlayground",
  summary: "Evaluate flags for a context in an environment, with the reasons",
  tag: "Playground",
  method: "POST",
  path: "/api/admin/playground",
  permission: null,
  isUncached: true, // the result may depend on time and chance
  isHeavy: true,
  body: PlaygroundRequest,
  response: PlaygroundResponse,
  errors: ["RateLimitError"],
}).run(({ db, actor, body }) => {
  const { environment, projects } = body;
  const context = cleanContext(body.context);
  const values = toContext(toContextValues(context), { environment });
  const all = snapshot(db, () => trials(db, actor, projects, environment));
  return toStream(
    body,
    context.ignored,
    all.map((trial) => () => [JSON.stringify(trial.explain(values))]),
  );
});

export const tryContexts = operation({
  id: "getAdvancedPlayground",
  summary: "Evaluate flags in several environments, for all combinations of comma-separated values",
  tag: "Playground",
  method: "POST",
  path: "/api/admin/playground/advanced",
  permission: null,
  isUncached: true, // the result may depend on time and chance
  isHeavy: true,
  body: AdvancedPlaygroundRequest,
  response: AdvancedPlaygroundResponse,
  errors: ["RateLimitError"],
}).run(({ db, actor, body }) => {
  const context = cleanContext(body.context);
  const environments = [...new Set(body.environments)];
  const places = snapshot(db, () =>
    environments.map((environment, index) => {
      const all = trials(db, actor, body.projects, environment);
      if (index === 0) requireFewEvaluations(environments.length, all.length, context);
      return all;
    }),
  );
  const [first = []] = places;
  return toStream(
    body,
    context.ignored,
    first.map(
      (_, index) => () =>
        inEnvironments(
          places.map((all) => all[index]!),
          () => contextsIn(context),
        ),
    ),
  );
});

/** In pieces of a few flags, so that other requests get a turn in between. */
const toStream = (input: object, ignored: string[], features: Array<() => Iterable<string>>) =>
  new JsonStream(() => inChunks(toText(input, ignored, features), CHUNK), CHUNK);

/** In characters; explaining as many takes some milliseconds. */
const CHUNK = 8 * 1024;

function* toText(input: object, ignored: string[], features: Array<() => Iterable<string>>) {
  yield `{"input":${JSON.stringify(input)},"features":[`;
  for (const [index, pieces] of features.entries()) {
    if (index > 0) yield ",";
    yield* pieces();
  }
  const warnings = ignored.length > 0 && { warnings: { invalidContextProperties: ignored } };
  yield `]${warnings ? `,${JSON.stringify(warnings).slice(1, -1)}` : ""}}`;
}

/** A flag, with one piece per evaluation. */
function* inEnvironments(
  places: readonly Trial[],
  contexts: () => Iterable<ContextValues>,
): Generator<string> {
  const { name, projectId } = places[0]!;
  yield `{"name":${JSON.stringify(name)},"projectId":${JSON.stringify(projectId)},"environments":{`;
  for (const [index, { environment, explain }] of places.entries()) {
    yield `${index > 0 ? "," : ""}${JSON.stringify(environment)}:[`;
    let separator = "";
    for (const context of contexts()) {
      const explanation = explain(toContext(context, { environment }));
      yield separator + JSON.stringify({ ...explanation, environment, context });
      separator = ",";
    }
    yield "]";
  }
  yield "}}";
}
