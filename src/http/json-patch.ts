import { applyPatch, type Operation } from "rfc6902";
import * as v from "valibot";
import { DEEPEST_JSON, isTooDeep } from "../limits.ts";
import { invalid } from "./error.ts";

const TOO_DEEP = `must not be nested deeper than ${DEEPEST_JSON} levels`;

const Pointer = v.pipe(v.string(), v.regex(/^(\/.*)?$/s, "must be a JSON Pointer such as /name"));

/** The body of a PATCH: the steps of RFC 6902, at most as many as a person could mean. */
export const JsonPatch = v.pipe(
  v.array(
    v.object({
      op: v.picklist(["add", "remove", "replace", "move", "copy", "test"]),
      path: Pointer,
      from: v.optional(Pointer),
      value: v.optional(
        v.pipe(
          v.unknown(),
          v.check((value) => !isTooDeep(value), TOO_DEEP),
        ),
      ),
    }),
  ),
  v.maxLength(1000, "must have 1000 steps or less"),
);
export type JsonPatch = v.InferOutput<typeof JsonPatch>;

/**
 * A copy of a value with the steps applied, which is still to be checked: they may have made anything of it.
 * @throws ApiError `ValidationError` for the first step that can't be done
 */
export function patched(value: object, patch: JsonPatch): unknown {
  const copy = structuredClone(value);
  const failures = applyPatch(copy, patch as Operation[]);
  const index = failures.findIndex((failure) => failure !== null);
  if (index < 0) return copy;
  throw invalid({
    path: `body.${index}`,
    message: `can't be done: ${patch[index]!.op} ${patch[index]!.path}`,
  });
}
