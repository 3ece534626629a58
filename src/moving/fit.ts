import type * as v from "valibot";
import type { Kind, Line, Place } from "../dataset/kind.ts";
import { requireShallow } from "../dataset/text.ts";

type Node = v.GenericSchema & {
  wrapped?: Node;
  item?: Node;
  value?: Node;
  entries?: Record<string, Node>;
};

/** A line of a kind, from a thing of another system. */
export const lineOf = ({ name, schema }: Kind, thing: object, place: Place): Line => ({
  place,
  read() {
    const keys = fit(schema, thing) as object;
    requireShallow(keys, place);
    return { kind: name, keys };
  },
});

/**
 * A value from another system in the shape of a schema, as far as that needs no guess: JSON text becomes its value, 0
 * and 1 become false and true, numbers become text, unknown keys and nulls of optional keys are left out. Anything else
 * stays as it is, so that checking it says what is wrong.
 */
function fit(schema: Node, value: unknown): unknown {
  const { wrapped, item, entries, type } = schema;
  if (wrapped && value !== null) return fit(wrapped, value);
  if (wrapped) return type === "nullable" ? null : undefined;
  if (type === "boolean") return value === 0 || value === 1 ? value === 1 : value;
  if (type === "string")
    return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  if (!/^(array|(strict_|loose_)?object|record|custom)$/.test(type)) return value;
  const parsed = typeof value === "string" ? fromJson(value) : value;
  if (item) return Array.isArray(parsed) ? parsed.map((one) => fit(item, one)) : parsed;
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return parsed;
  return fitObject(schema, entries, parsed as Record<string, unknown>);
}

function fitObject(schema: Node, entries: Node["entries"], value: Record<string, unknown>) {
  const known = Object.entries(value).flatMap(([key, one]) => {
    const own = entries ? entries[key] : schema.value;
    if (own === undefined) return entries ? [] : [[key, one]];
    const fitted = fit(own, one);
    return fitted === undefined ? [] : [[key, fitted]];
  });
  return Object.fromEntries(known);
}

/** The value, or the text if it is not JSON. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
