import * as v from "valibot";
import { MAX_TEXT_LENGTH } from "./limits.ts";
import { timestamp } from "./time.ts";

/** One thing that is wrong with an input: where (`query.limit`, `environments.0.name`) and what. */
export const Violation = v.strictObject({ path: v.string(), message: v.string() });
export type Violation = v.InferOutput<typeof Violation>;

export type Schema = v.GenericSchema;

/** The validated value, or what is wrong with it; `where` begins each path. */
type Checked<T> = { value: T; violations?: never } | { violations: [Violation, ...Violation[]] };

/** The most violations reported for one input, which may be wrong in millions of places. */
const MAX_VIOLATIONS = 100;

/** With `abortEarly`, only the first violation is reported. */
export function check<S extends Schema>(
  schema: S,
  input: unknown,
  where = "",
  { abortEarly = false } = {},
): Checked<v.InferOutput<S>> {
  const result = v.safeParse(schema, input, { abortEarly });
  if (result.success) return { value: result.output };
  const [first, ...rest] = result.issues.slice(0, MAX_VIOLATIONS).map((issue) => toViolation(issue, where));
  return { violations: [first!, ...rest] };
}

const toViolation = (issue: v.BaseIssue<unknown>, where: string): Violation => {
  const keys = issue.path?.map((item) => String(item.key)) ?? [];
  return { path: [where, ...keys].filter((part) => part !== "").join("."), message: issue.message };
};

// For schemas without messages of their own.
v.setGlobalMessage((issue) => {
  if (issue.type === "strict_object" && issue.expected === "never") return "is not a known key";
  if (issue.received === "undefined") return "is missing";
  if (issue.type.endsWith("integer")) return "must be a whole number";
  return `must be ${shortened(describeExpected(issue.expected ?? "something else"))}, not ${shortened(TYPES[issue.received] ?? issue.received)}`;
});

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  boolean: "true or false",
  Object: "an object",
  Array: "a list",
};

/** Describes what valibot expected: a type, a bound such as `<=100`, or a choice such as `("a" | "b")`. */
function describeExpected(expected: string): string {
  const [, sign, bound] = /^([<>])=(.+)$/.exec(expected) ?? [];
  if (sign !== undefined) return `${bound} or ${sign === "<" ? "less" : "more"}`;
  const choice = /^\((.+)\)$/.exec(expected)?.[1];
  if (choice === undefined) return TYPES[expected] ?? expected;
  return `one of ${choice.split(" | ").map(describeExpected).join(", ")}`;
}

const shortened = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** Text that a column stores faithfully: no NUL, no unpaired surrogate. */
export const Text = v.pipe(
  v.string(),
  v.check((text) => !text.includes("\0"), "must not contain the character NUL"),
  v.check((text) => text.isWellFormed(), "must be well-formed Unicode"),
);

/** Text shown in lists, such as a description. */
export const ShortText = v.pipe(
  Text,
  v.maxLength(MAX_TEXT_LENGTH, `must have ${MAX_TEXT_LENGTH} characters or fewer`),
);

export const NonEmptyText = v.pipe(ShortText, v.nonEmpty("must not be empty"));

/** Bytes of a name in a path: three such names must fit into a request head of 16 KiB. */
const MAX_SEGMENT_BYTES = 4096;

const toSegment = (name: string) => encodeURIComponent(name.toWellFormed());

/** A name used as a path segment; clients and proxies take `.` and `..` for folders. */
export const PathName = v.pipe(
  NonEmptyText,
  v.check((name) => name !== "." && name !== "..", "must not be . or .., which no path can contain"),
  v.check((name) => toSegment(name).length <= MAX_SEGMENT_BYTES, "must be shorter to fit into a path"),
);

/** A name the API accepts for things with a URL of their own: it appears in paths unencoded (original). */
export const UrlName = v.pipe(
  PathName,
  v.maxLength(100, "must have 100 characters or fewer"),
  v.check((name) => toSegment(name) === name, "must be URL friendly: letters, digits and - . _ ~ ! * ' ( )"),
);

/** Whether a JSON value is an object. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A JSON object unchanged; unlike valibot's `record`, it keeps keys such as `__proto__`. */
export const JsonObject = v.custom<Record<string, unknown>>(isObject, (issue) =>
  issue.received === "undefined" ? "is missing" : "must be an object",
);

/** An object or a record that may have any keys; valibot would drop `__proto__`, `prototype` and `constructor`. */
export const keepingKeys = <S extends Schema>(schema: S): S => ({
  ...schema,
  "~run"(dataset, config) {
    if (!v.is(JsonObject, dataset.value)) return schema["~run"](dataset, config);
    const result = schema["~run"]({ value: withKeys(dataset.value, toKept) }, config);
    for (const { path: [first] = [] } of result.issues ?? [])
      if (first) Object.assign(first, { key: toGiven(String(first.key)) });
    return result.typed ? { ...result, value: withKeys(result.value as object, toGiven) } : result;
  },
});

const withKeys = (value: object, map: (key: string) => string) =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [map(key), item]));

const toKept = (key: string) => key.replace(/^(__proto__|prototype|constructor)$/, "\0$1");
const toGiven = (key: string) => key.replace(/^\0/, "");

/** An object with any keys and values of one kind. */
export const dictionary = <S extends Schema>(value: S) =>
  Object.assign(v.pipe(JsonObject, keepingKeys(v.record(v.string(), value))), { value });

/** How many there are, in a response. */
export const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** RFC 3339 in UTC with milliseconds, the only form on the wire. */
export const Timestamp = v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/));

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]([01]\d|2[0-3]):\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** Any RFC 3339 time; stored in the wire's form, in UTC with milliseconds. */
export const Time = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const { time, problem } = toTime(dataset.value);
    if (time !== undefined) return time;
    addIssue({ message: problem });
    return NEVER;
  }),
);

export const FutureTime = v.pipe(
  Time,
  v.check((time) => time > timestamp(), "is in the past"),
);

/** `Date` takes 30 February for 2 March, so the resulting day is compared; most texts are already in the right form. */
function toTime(text: string): { time: string; problem?: never } | { time?: never; problem: string } {
  const date = new Date(text);
  const time = Number.isNaN(date.valueOf()) ? undefined : date.toISOString();
  if (time === text && text.length === 24) return { time };
  if (!RFC_3339.test(text)) return { problem: "must be an RFC 3339 time such as 2026-01-31T09:00:00.000Z" };
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  if (time === undefined || day.getUTCDate() !== Number(text.slice(8, 10))) {
    return { problem: "must be a valid time" };
  }
  return time.length === 24 ? { time } : { problem: "must be within the years 0000 to 9999 in UTC" };
}

/**
 * A whole number within bounds, given as digits only; for parameters, which arrive as text. Without a maximum any
 * number will do; beyond what can be represented exactly it becomes the largest that can.
 */
export const wholeNumber = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  v.pipe(
    v.string(),
    v.regex(/^\d+$/, "must be a whole number in digits"),
    v.transform((digits) =>
      maximum === Number.MAX_SAFE_INTEGER ? Math.min(Number(digits), maximum) : Number(digits),
    ),
    v.minValue(minimum, `must be ${minimum} or more`),
    v.maxValue(maximum, `must be ${maximum} or less`),
  );
