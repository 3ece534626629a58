import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { type Context, toContext } from "../evaluation/context.ts";
import type { Evaluator } from "../evaluation/evaluator.ts";
import { Explanation, explain, JudgedStrategy } from "../evaluation/explain.ts";
import { strategiesOf } from "../flags/strategies-store.ts";
import { inChunks, JsonStream } from "../http/json-stream.ts";
import { POST } from "../http/operation.ts";
import { invalid } from "../lib/api-error.ts";
import { dictionary, keepingKeys, Time } from "../lib/validation.ts";
import { evaluatorOfProjects, inTimeOf } from "./client-evaluators.ts";

const Projects = v.optional(
  v.union([v.literal("*"), v.array(v.string())], 'must be "*" or a list of projects'),
);

const OptionalText = v.optional(v.string());

/** The context. Other keys become properties; those that aren't text are left out, with a warning. */
const ContextInput = keepingKeys(
  v.looseObject({
    appName: v.pipe(v.string(), v.nonEmpty("must not be empty")),
    userId: OptionalText,
    sessionId: OptionalText,
    remoteAddress: OptionalText,
    environment: OptionalText,
    currentTime: v.optional(
      v.pipe(
        v.string(),
        v.check((time) => v.is(Time, time), "must be an RFC 3339 time such as 2026-01-31T09:00:00.000Z"),
      ),
    ),
    properties: v.optional(dictionary(v.string())),
  }),
);

export const PlaygroundRequest = v.object({
  environment: v.string(),
  projects: Projects,
  context: ContextInput,
});
export type PlaygroundRequest = v.InferOutput<typeof PlaygroundRequest>;

/** A context in several environments; values with commas are split, and all combinations are tried. */
export const AdvancedPlaygroundRequest = v.object({
  environments: v.pipe(v.array(v.string()), v.minLength(1, "must name an environment")),
  projects: Projects,
  context: ContextInput,
});
export type AdvancedPlaygroundRequest = v.InferOutput<typeof AdvancedPlaygroundRequest>;

/** A strategy, and why it does or doesn't match. */
export const EvaluatedStrategy = v.strictObject({
  ...JudgedStrategy.entries,
  links: v.strictObject({ edit: v.string() }),
});

/** A flag, whether it is on, and why. */
export const PlaygroundFeature = v.strictObject({
  ...Explanation.entries,
  strategies: v.strictObject({
    ...Explanation.entries.strategies.entries,
    data: v.array(EvaluatedStrategy),
  }),
  name: v.string(),
  projectId: v.string(),
});

/** The same for one of several environments and contexts. */
export const AdvancedPlaygroundResult = v.strictObject({
  ...PlaygroundFeature.entries,
  environment: v.string(),
  context: v.record(v.string(), v.unknown()),
});

export const AdvancedPlaygroundFeature = v.strictObject({
  name: v.string(),
  projectId: v.string(),
  environments: v.record(v.string(), v.array(AdvancedPlaygroundResult)),
});

/** Context keys that were left out because they aren't text. */
const Warnings = v.optional(v.strictObject({ invalidContextProperties: v.array(v.string()) }));

const Input = v.looseObject({});

export const PlaygroundResponse = v.strictObject({
  input: Input,
  features: v.array(PlaygroundFeature),
  warnings: Warnings,
});

export const AdvancedPlaygroundResponse = v.strictObject({
  input: Input,
  features: v.array(AdvancedPlaygroundFeature),
  warnings: Warnings,
});

const Common = {
  tag: "Playground",
  permission: null,
  isUncached: true, // the result may depend on time and chance
  isHeavy: true,
  errors: ["RateLimitError"],
} as const;

const EXAMPLE = { appName: "checkout", userId: "7", properties: { plan: "gold" } };

export const tryContext = POST({
  ...Common,
  id: "getPlayground",
  summary: "Evaluate flags for a context in an environment, with the reasons",
  path: "/api/admin/playground",
  body: PlaygroundRequest,
  response: PlaygroundResponse,
  example: { environment: "development", projects: ["shop"], context: EXAMPLE },
}).run(({ db, actor, body }) => {
  const { environment, projects } = body;
  const { texts, properties, ignored } = cleanContext(body.context);
  const context = toContext(
    { ...Object.fromEntries(texts), ...(properties && { properties }) },
    { environment },
  );
  const flags = trials(db, actor, projects, environment);
  const text = () => toText(body, ignored, flags, (flag) => [JSON.stringify(flag.explain(context))]);
  return new JsonStream(() => inChunks(text(), CHUNK));
});

export const tryContexts = POST({
  ...Common,
  id: "getAdvancedPlayground",
  summary: "Evaluate flags in several environments, for all combinations of comma-separated values",
  path: "/api/admin/playground/advanced",
  body: AdvancedPlaygroundRequest,
  response: AdvancedPlaygroundResponse,
  example: { environments: ["development"], projects: "*", context: EXAMPLE },
}).run(({ db, actor, body }) => {
  const text = combinations(body, (environment) => trials(db, actor, body.projects, environment));
  return new JsonStream(() => inChunks(text(), CHUNK));
});

/**
 * The answer for all combinations, in pieces.
 * @param trialsIn the same flags in each environment
 * @throws ApiError `ValidationError` for too many
 */
export function combinations(
  body: v.InferOutput<typeof AdvancedPlaygroundRequest>,
  trialsIn: (environment: string) => Trial[],
) {
  const context = cleanContext(body.context);
  const environments = [...new Set(body.environments)];
  const places = environments.map((environment, index) => {
    const flags = trialsIn(environment);
    if (index === 0) requireFewEvaluations(environments.length, flags.length, context);
    return flags;
  });
  const flags = places[0]!.map((_, index) => places.map((all) => all[index]!));
  return () => toText(body, context.ignored, flags, (inPlaces) => inEnvironments(inPlaces, context));
}

/** In characters; explaining as many takes a few milliseconds. */
const CHUNK = 64 * 1024;

/** In pieces of a few flags, so that other requests get a turn in between. */
function* toText<Flag>(
  input: object,
  ignored: readonly string[],
  flags: readonly Flag[],
  toPieces: (flag: Flag) => Iterable<string>,
): Generator<string> {
  yield `{"input":${JSON.stringify(input)},"features":[`;
  for (const [index, flag] of flags.entries()) {
    if (index > 0) yield ",";
    yield* toPieces(flag);
  }
  const warnings = JSON.stringify({ invalidContextProperties: ignored });
  yield ignored.length > 0 ? `],"warnings":${warnings}}` : "]}";
}

/** A flag, with one piece per evaluation. */
function* inEnvironments(places: readonly Trial[], contexts: CleanContext): Generator<string> {
  const { name, projectId } = places[0]!;
  yield `{"name":${JSON.stringify(name)},"projectId":${JSON.stringify(projectId)},"environments":{`;
  for (const [index, { environment, explain }] of places.entries()) {
    yield `${index > 0 ? "," : ""}${JSON.stringify(environment)}:[`;
    let separator = "";
    for (const context of contextsIn(contexts)) {
      const explanation = explain(toContext(context, { environment }));
      yield separator + JSON.stringify({ ...explanation, environment, context });
      separator = ",";
    }
    yield "]";
  }
  yield "}}";
}

/** A flag in an environment, ready to be evaluated for any context. */
interface Trial {
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
  return trialsWith(db, evaluatorOfProjects(db, requested ?? "*", hidden, environment), environment);
}

/** The same for the flags of an evaluator. */
export function trialsWith(db: Database, evaluator: Evaluator, environment: string): Trial[] {
  return [...evaluator.features.values()].map((feature) => {
    const flag = { name: feature.name, projectId: feature.project, environment };
    return {
      ...flag,
      explain(context) {
        // Read only now: all flags' strategies at once would take long, and memory for as long as the client reads.
        const strategies = strategiesOf(db, { feature: feature.name, environment });
        return linked(flag, explain(evaluator, feature, strategies, inTimeOf(db, context)));
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
function requireFewEvaluations(environments: number, features: number, context: CleanContext) {
  const contexts = countContexts(context);
  const evaluations = environments * Math.max(1, features) * contexts;
  const what = `${contexts} contexts, ${environments} environments and ${features} flags are`;
  const tooMany = (than: string) =>
    invalid({ path: "body.context", message: `${what} more than ${than}: request fewer` });
  if (evaluations > MAX_EVALUATIONS) throw tooMany(`${MAX_EVALUATIONS} evaluations`);
  if (evaluations * contextLength(context) > MAX_REPEATED)
    throw tooMany("an answer with long contexts holds");
}

/** The text values of a context, and the names of the others. */
function cleanContext({ properties, ...values }: PlaygroundRequest["context"]) {
  const entries = Object.entries(values);
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const ignored = entries.filter(([, value]) => typeof value !== "string").map(([name]) => name);
  return { texts, properties, ignored };
}
type CleanContext = ReturnType<typeof cleanContext>;

/** The parts of each value. Top-level fields win over properties of the same name. */
const choices = ({ texts, properties = {} }: CleanContext) =>
  Object.entries({ ...properties, ...Object.fromEntries(texts) }).map(
    ([name, value]) => [name, value.split(",").map((part) => part.trim())] as const,
  );

const countContexts = (context: CleanContext): number =>
  choices(context).reduce((product, [, parts]) => product * parts.length, 1);

const contextLength = (context: CleanContext): number =>
  choices(context).reduce((sum, [name, parts]) => sum + name.length + longest(parts), 0);

const longest = (parts: readonly string[]) => parts.reduce((most, { length }) => Math.max(most, length), 0);

/** Every combination of the parts of all values, one by one; the first value changes fastest (original). */
function* contextsIn(context: CleanContext): Generator<Record<string, string>> {
  const all = choices(context);
  const count = countContexts(context);
  for (let index = 0; index < count; index++) {
    let rest = index;
    const chosen = all.map(([name, parts]) => {
      const part = parts[rest % parts.length]!;
      rest = Math.floor(rest / parts.length);
      return [name, part];
    });
    yield Object.fromEntries(chosen);
  }
}
