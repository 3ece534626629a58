import * as v from "valibot";

/** What a flag depends on: the parent is on, is off, or has one of the variants. */
export const NewDependency = v.object({
  feature: v.string(),
  enabled: v.optional(v.boolean(), true),
  variants: v.optional(v.array(v.string()), []),
});
export type NewDependency = v.InferOutput<typeof NewDependency>;
