import { applyPatch, type Operation, Pointer as PointerPath } from "rfc6902";
import * as v from "valibot";
import { invalid, requireValid } from "../lib/api-error.ts";
import { isTooDeep, MAX_JSON_BYTES, TOO_DEEP } from "../lib/limits.ts";
import type { Schema } from "../lib/validation.ts";

const Pointer = v.pipe(v.string(), v.regex(/^(\/.*)?$/s, "must be a JSON Pointer such as /name"));

/** The body of a PATCH: RFC 6902 operations, no more than anyone would plausibly send. */
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
  v.maxLength(1000, "must have 1000 steps or fewer"),
);
export type JsonPatch = v.InferOutput<typeof JsonPatch>;

/**
 * A copy of a value with the operations applied. The result must still be validated.
 * @throws ApiError `ValidationError` for the first operation that can't be applied
 */
export function applyJsonPatch(value: object, patch: JsonPatch): unknown {
  const copy = structuredClone(value);
  let copied = 0;
  for (const [index, step] of patch.entries()) {
    if (step.op === "copy") copied += sizeAt(copy, step.from);
    if (copied > MAX_JSON_BYTES) throw patchError(index, "copies more than can be stored");
    if (!apply(copy, step))
      throw patchError(index, `the operation can't be applied: ${step.op} ${step.path}`);
  }
  if (isTooDeep(copy)) throw invalid({ path: "body", message: `the result ${TOO_DEEP}` });
  return copy;
}

/** The patched value, validated like a body. @throws ApiError `ValidationError` */
export function applyJsonPatchAs<S extends Schema>(
  schema: S,
  value: object,
  patch: JsonPatch,
): v.InferOutput<S> {
  return requireValid(schema, applyJsonPatch(value, patch), "body");
}

const patchError = (index: number, message: string) => invalid({ path: `body.${index}`, message });

/** Size in characters of JSON: copying copies would double the value with every operation. */
const sizeAt = (value: object, from = "") =>
  JSON.stringify(PointerPath.fromJSON(from).get(value) as unknown)?.length ?? 0;

const apply = (value: object, step: JsonPatch[number]) =>
  isValidTarget(value, step.path) &&
  isValidTarget(value, step.from ?? "") &&
  applyPatch(value, [step as Operation])[0] === null;

/**
 * Whether a pointer leads to an element of a list or an own property of an object. The library silently skips prototype
 * names, and accepts any property of a list or a text, such as its length.
 */
function isValidTarget(value: object, pointer: string) {
  const target = PointerPath.fromJSON(pointer);
  const { parent, key } = target.evaluate(value) as { parent: unknown; key: string };
  if (typeof parent !== "object" || target.tokens.some((token) => INHERITED.has(token))) return false;
  return !Array.isArray(parent) || /^(\d+|-)$/.test(key);
}

const INHERITED = new Set(["__proto__", "constructor", "prototype"]);
