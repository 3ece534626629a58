import * as v from "valibot";
import { Explanation, JudgedStrategy } from "../evaluation/explain.ts";
import { dictionary, keepingKeys, Time } from "../lib/validation.ts";

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
