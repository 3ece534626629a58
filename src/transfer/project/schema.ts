import * as v from "valibot";
import { Constraint } from "../../evaluation/constraint.ts";
import { CreateStrategy } from "../../evaluation/strategy.ts";
import { dictionary, type Schema, ShortText } from "../../lib/validation.ts";

/** Things by name. */
const named = <S extends Schema>(schema: S) => v.optional(dictionary(schema), {});

/** A strategy as text, with its segments by name. */
const TextStrategy = v.strictObject({
  ...v.omit(CreateStrategy, ["sortOrder", "segments", "constraints"]).entries,
  constraints: v.optional(v.array(Constraint)),
  segments: v.optional(v.array(v.string())),
});
export type TextStrategy = v.InferOutput<typeof TextStrategy>;

/** A flag in an environment, with all of its strategies there, in order. */
const TextEnvironment = v.strictObject({
  enabled: v.optional(v.boolean()),
  strategies: v.optional(v.array(TextStrategy)),
});
export type TextEnvironment = v.InferOutput<typeof TextEnvironment>;

const TextFlag = v.strictObject({
  type: v.optional(v.string()),
  description: v.optional(v.nullable(ShortText)),
  stale: v.optional(v.boolean()),
  impressionData: v.optional(v.boolean()),
  environments: named(TextEnvironment),
});
export type TextFlag = v.InferOutput<typeof TextFlag>;

const TextSegment = v.strictObject({
  description: v.optional(v.nullable(ShortText)),
  constraints: v.optional(v.array(Constraint)),
});

/** The flags and segments of a project, by name, as text for version control. Whatever is left out stays as it is. */
export const ProjectText = v.strictObject({
  version: v.literal(1, "must be 1, the only version"),
  project: v.string(),
  segments: named(TextSegment),
  flags: named(TextFlag),
});
export type ProjectText = v.InferOutput<typeof ProjectText>;
