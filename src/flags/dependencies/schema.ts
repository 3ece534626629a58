import * as v from "valibot";
import { ShortText } from "../../lib/validation.ts";

/** A dependency on a parent flag: the parent must be on, be off, or have one of the variants. */
export const NewDependency = v.object({
  feature: v.string(),
  enabled: v.optional(v.boolean(), true),
  variants: v.optional(v.array(ShortText)),
});
export type NewDependency = v.InferOutput<typeof NewDependency>;
