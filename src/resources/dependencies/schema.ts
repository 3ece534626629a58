import * as v from "valibot";
import { ShortText } from "../../validation.ts";

/** What a flag depends on: the parent is on, is off, or has one of the variants. */
export const NewDependency = v.object({
  feature: v.string(),
  enabled: v.optional(v.boolean(), true),
  variants: v.optional(v.array(ShortText), []),
});
export type NewDependency = v.InferOutput<typeof NewDependency>;
