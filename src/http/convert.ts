import * as v from "valibot";
import type { Schema } from "../lib/validation.ts";

/** What may be inside a schema, whatever its type. */
interface Parts {
  type: string;
  /** Of an optional or a nullable value. */
  wrapped?: Schema;
  /** Of a list. */
  item?: Schema;
  /** Of an object with known keys. */
  entries?: Readonly<Record<string, Schema>>;
  /** Of an object with any keys. */
  value?: Schema;
  /** Of a union. */
  options?: readonly Schema[];
}

/**
 * A JSON value with the types that the schema describes, as far as the original converts them: a number or a boolean
 * becomes text; digits become a number; `"true"`, `"false"`, 1 and 0 become booleans; and a property that may be absent
 * but not null is absent if it is null (docs/choices.md). All else stays as it is, for the schema to refuse.
 */
export function convert(schema: Schema, value: unknown): unknown {
  const { type, wrapped, item, options, ...object } = schema as unknown as Parts;
  if (type === "optional" && value === null && !v.is(wrapped!, null)) return undefined;
  if (wrapped) return convert(wrapped, value);
  if (type === "union") return toOption(options!, value);
  if (Array.isArray(value)) return item ? value.map((one) => convert(item, one)) : value;
  if (typeof value === "object" && value !== null) return toObject(object, value);
  return toScalar(type, value);
}

/** The first conversion that fits, unless the value fits already. */
const toOption = (options: readonly Schema[], value: unknown) =>
  options.some((option) => v.is(option, value))
    ? value
    : (options
        .map((option) => ({ option, converted: convert(option, value) }))
        .find(({ option, converted }) => v.is(option, converted))?.converted ?? value);

function toObject({ entries = {}, value: anyValue }: Pick<Parts, "entries" | "value">, given: object) {
  const others = anyValue && anyValue.type !== "object" ? v.optional(anyValue) : anyValue;
  const convertEntry = ([key, value]: [string, unknown]) => {
    const schema = Object.hasOwn(entries, key) ? entries[key] : others;
    return [key, schema ? convert(schema, value) : value] as const;
  };
  const converted = Object.entries(given).map(convertEntry);
  return Object.fromEntries(converted.filter(([, value]) => value !== undefined));
}

function toScalar(type: string, value: unknown) {
  if (type === "string" && (typeof value === "number" || typeof value === "boolean")) return String(value);
  if (type === "number" && typeof value === "string" && isNumber(value)) return Number(value);
  if (type === "boolean") return BOOLEANS.get(value) ?? value;
  return value;
}

const isNumber = (text: string) => text.trim() !== "" && Number.isFinite(Number(text));

const BOOLEANS = new Map<unknown, boolean>([
  ["true", true],
  [1, true],
  ["false", false],
  [0, false],
]);
