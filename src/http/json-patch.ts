import { applyPatch, type Operation, Pointer as Place } from "rfc6902";
import * as v from "valibot";
import { DEEPEST_JSON, isTooDeep, LONGEST_JSON } from "../limits.ts";
import { check, type Schema } from "../validation.ts";
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
  let copied = 0;
  for (const [index, step] of patch.entries()) {
    if (step.op === "copy") copied += sizeAt(copy, step.from);
    if (copied > LONGEST_JSON) throw refused(index, "copies more than can be stored");
    if (!apply(copy, step)) throw refused(index, `can't be done: ${step.op} ${step.path}`);
  }
  if (isTooDeep(copy)) throw invalid({ path: "body", message: `makes something that ${TOO_DEEP}` });
  return copy;
}

/** What the steps make of a value, checked as a body is. @throws ApiError `ValidationError` */
export function patchedAs<S extends Schema>(schema: S, value: object, patch: JsonPatch): v.InferOutput<S> {
  const result = check(schema, patched(value, patch), "body");
  if (result.violations) throw invalid(...result.violations);
  return result.value;
}

const refused = (index: number, message: string) => invalid({ path: `body.${index}`, message });

/** Characters of JSON: copies of copies would double what there is with every step. */
const sizeAt = (value: object, from = "") =>
  JSON.stringify(Place.fromJSON(from).get(value) as unknown)?.length ?? 0;

/** Does a step, or says that it can't be done. */
const apply = (value: object, step: JsonPatch[number]) =>
  isPlace(value, step.path) &&
  isPlace(value, step.from ?? "") &&
  applyPatch(value, [step as Operation])[0] === null;

/**
 * Whether a pointer leads to an element of a list or a property of an object. The library passes over the names of
 * prototypes, and takes anything that a list or a text has for a property of it, such as its length.
 */
function isPlace(value: object, pointer: string) {
  const place = Place.fromJSON(pointer);
  const { parent, key } = place.evaluate(value) as { parent: unknown; key: string };
  if (typeof parent !== "object" || place.tokens.some((token) => INHERITED.has(token))) return false;
  return !Array.isArray(parent) || /^(\d+|-)$/.test(key);
}

const INHERITED = new Set(["__proto__", "constructor", "prototype"]);
