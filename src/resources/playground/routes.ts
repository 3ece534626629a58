import { snapshot } from "../../db/snapshot.ts";
import { type Chunk, JsonStream } from "../../http/json-stream.ts";
import { operation } from "../../http/operation.ts";
import { cleaned, contextsIn, countContexts, type Given, toGiven } from "./contexts.ts";
import { requireFew, type Trial, trials } from "./require.ts";
import {
  AdvancedPlaygroundAnswer,
  AdvancedPlaygroundQuestion,
  PlaygroundAnswer,
  PlaygroundQuestion,
} from "./schema.ts";

export const tryContext = operation({
  id: "getPlayground",
  summary: "Evaluate flags for a context in an environment, with the reasons",
  tag: "Playground",
  method: "POST",
  path: "/api/admin/playground",
  permission: null,
  isUncached: true, // time and chance may decide
  body: PlaygroundQuestion,
  response: PlaygroundAnswer,
}).run(({ db, actor, body }) => {
  const { environment, projects } = body;
  const context = cleaned(body.context);
  const given = toGiven(context);
  const all = snapshot(db, () => trials(db, actor, projects, environment));
  return answered(
    body,
    context.ignored,
    all.map((trial) => () => [JSON.stringify(trial.explain(given))]),
  );
});

export const tryContexts = operation({
  id: "getAdvancedPlayground",
  summary: "Evaluate flags in several environments, for all combinations of comma-separated values",
  tag: "Playground",
  method: "POST",
  path: "/api/admin/playground/advanced",
  permission: null,
  isUncached: true, // time and chance may decide
  body: AdvancedPlaygroundQuestion,
  response: AdvancedPlaygroundAnswer,
}).run(({ db, actor, body }) => {
  const context = cleaned(body.context);
  const environments = [...new Set(body.environments)];
  const places = snapshot(db, () =>
    environments.map((environment, index) => {
      const all = trials(db, actor, body.projects, environment);
      if (index === 0) requireFew(environments.length, all.length, countContexts(context));
      return all;
    }),
  );
  const contexts = contextsIn(context);
  const [first = []] = places;
  return answered(
    body,
    context.ignored,
    first.map(
      (_, index) => () =>
        inEnvironments(
          places.map((all) => all[index]!),
          contexts,
        ),
    ),
  );
});

/** Flag by flag, so that other requests get a turn in between. */
const answered = (input: object, ignored: string[], features: Array<() => Iterable<Chunk>>) =>
  new JsonStream(function* () {
    yield `{"input":${JSON.stringify(input)},"features":[`;
    for (const [index, pieces] of features.entries()) {
      if (index > 0) yield ",";
      yield* pieces();
    }
    const warnings = ignored.length > 0 && { warnings: { invalidContextProperties: ignored } };
    yield `]${warnings ? `,${JSON.stringify(warnings).slice(1, -1)}` : ""}}`;
  });

/** A flag, with one piece per evaluation. */
function* inEnvironments(places: readonly Trial[], contexts: readonly Given[]): Generator<Chunk> {
  const { name, projectId } = places[0]!;
  yield `{"name":${JSON.stringify(name)},"projectId":${JSON.stringify(projectId)},"environments":{`;
  for (const [index, { environment, explain }] of places.entries()) {
    yield `${index > 0 ? "," : ""}${JSON.stringify(environment)}:[`;
    for (const [at, context] of contexts.entries())
      yield (at > 0 ? "," : "") + JSON.stringify({ ...explain(context), environment, context });
    yield "]";
  }
  yield "}}";
}
