import * as v from "valibot";
import { NonEmptyText, ShortText } from "../validation.ts";

/** A key that may be left out or be null. */
export const optional = <S extends v.GenericSchema>(schema: S) => v.nullish(schema, null);

export const OptionalText = optional(ShortText);

export const Flag = (preset: boolean) => v.optional(v.boolean(), preset);

/** Any number that JSON can give back. */
export const Real = v.pipe(v.number(), v.finite("must be a number that can be written down"));

/** A number that identifies a row; those after it, which are given out later, can be counted exactly too. */
export const Id = v.pipe(
  v.number(),
  v.integer("must be a whole number"),
  v.minValue(1, "must be 1 or more"),
  v.maxValue(2 ** 52, "must be 2^52 or less"),
);

/** A name that something goes by; one that stands in paths is a `PathName`. */
export const Name = NonEmptyText;

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]([01]\d|2[0-3]):\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** Any RFC 3339 time; kept as the wire has it, in UTC with milliseconds. */
export const Time = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const { time, problem } = toTime(dataset.value);
    if (time !== undefined) return time;
    addIssue({ message: problem });
    return NEVER;
  }),
);

export const OptionalTime = optional(Time);

/** `Date` takes 30 February for 2 March, so what it makes of the day is compared; mostly the text is as it should be. */
function toTime(text: string): { time: string; problem?: never } | { time?: never; problem: string } {
  const date = new Date(text);
  const time = Number.isNaN(date.valueOf()) ? undefined : date.toISOString();
  if (time === text && text.length === 24) return { time };
  if (!RFC_3339.test(text)) return { problem: "must be an RFC 3339 time such as 2026-01-31T09:00:00.000Z" };
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  if (time === undefined || day.getUTCDate() !== Number(text.slice(8, 10))) {
    return { problem: "must be a time that exists" };
  }
  return time.length === 24 ? { time } : { problem: "must be within the years 0000 to 9999 in UTC" };
}

/** Column values from a parsed line: booleans as 0 and 1, lists and objects as JSON text. */
export const bit = (value: boolean): 0 | 1 => (value ? 1 : 0);

/** A line without the keys that are null, which is how it is written. */
export const withoutNulls = (line: object) =>
  Object.fromEntries(Object.entries(line).filter(([, value]) => value !== null));
