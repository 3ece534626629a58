import * as v from "valibot";
import { NonEmptyText, ShortText, Time } from "../lib/validation.ts";

/** An optional key, which may also be null. */
export const optional = <S extends v.GenericSchema>(schema: S) => v.nullish(schema, null);

export const OptionalText = optional(ShortText);

export const Flag = (preset: boolean) => v.optional(v.boolean(), preset);

/** Any number that JSON can represent. */
export const Real = v.pipe(v.number(), v.finite("must be a finite number"));

/** A row's id, small enough that the ids assigned after it are exact too. */
export const Id = v.pipe(
  v.number(),
  v.integer("must be a whole number"),
  v.minValue(1, "must be 1 or more"),
  v.maxValue(2 ** 52, "must be 2^52 or less"),
);

/** The name of something; one used in paths is a `PathName`. */
export const Name = NonEmptyText;

/** The stored hash of a secret. */
export const Hash = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{64}$/, "must be a SHA-256 as 64 lower-case hex digits"),
);

export const OptionalTime = optional(Time);

/** A boolean as columns store it. */
export const bit = (value: boolean): 0 | 1 => (value ? 1 : 0);

/** A line without its null keys, which is how it is written. */
export const withoutNulls = (line: object) =>
  Object.fromEntries(Object.entries(line).filter(([, value]) => value !== null));
