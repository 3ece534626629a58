import fc from "fast-check";
import { EVENT_TYPES } from "../../src/events/schema.ts";
import { ENVIRONMENTS, FEATURES, HIDDEN_TEXT, PROJECTS } from "./dataset.ts";

/*
 * Values that programs trip over.
 */

const half = fc.constantFrom("\ud800", "\udfff", "a\udc00b");

const NUMBERS = ["0", "-0", "1", "-1", "1.5", "1e3", "0x1", "٣", "4503599627370497", "9".repeat(400), "NaN"];

const TRICKS = [
  "",
  " ",
  "\0",
  "a\0b",
  "..",
  ".",
  "%",
  "%00",
  "%2e%2e",
  "%ff",
  "../../etc/passwd",
  "\\",
  "\r\nx: y",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "*",
  '"',
  '" OR "',
  "NEAR(a b)",
  "a:b",
  ":",
  "simple:flag",
  "\u2028",
  "\ufeff",
  "ﬃ",
  "İ",
  "Σς",
  "e\u0301",
  "👩‍👩‍👧‍👦",
];

/** Names from the data file. */
const known = fc.constantFrom<string>(
  ...PROJECTS,
  ...FEATURES,
  ...ENVIRONMENTS,
  ...EVENT_TYPES.slice(0, 3),
  HIDDEN_TEXT,
  HIDDEN_TEXT.slice(0, 5),
);

const long = fc
  .tuple(fc.constantFrom("x", "ü", "%", "a/", "\ud83d\ude00", "İ"), fc.nat(10_000))
  .map(([unit, times]) => unit.repeat(times));

/** Any text, including all names and tricks. */
export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: known },
  { weight: 4, arbitrary: fc.constantFrom(...TRICKS, ...NUMBERS) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
  { weight: 1, arbitrary: fc.tuple(known, half).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: long },
);

/** Nested lists or objects; SQLite allows a depth of 1,000, a call stack a few thousand. */
const nested = fc
  .tuple(fc.constantFrom(["[", "]"], ['{"a":', "}"]), fc.constantFrom(10, 999, 1001, 20_000))
  .map(([[open, close], depth]) => open!.repeat(depth) + (open === "[" ? "" : "1") + close!.repeat(depth));

const NOT_JSON = [
  "",
  "{",
  "nul",
  '{"a":1,}',
  "NaN",
  "'a'",
  '{"a":1}{"b":2}',
  "\ufeff{}",
  "[1",
  '"\\ud800"',
  "1e999",
];

const number = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 1e308, 2 ** 53, -(2 ** 63), 100, 101),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const key = fc.oneof(fc.constantFrom("__proto__", "constructor", "toString", "", "\0", "length", "0"), text);

const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: "json" },
    fc.oneof(text, number, fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

/** The text of any JSON value, including `__proto__` as a key; sometimes invalid JSON. */
export const jsonText: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: json.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: nested },
  { weight: 1, arbitrary: fc.constantFrom(...NOT_JSON) },
);

/** The text of a JSON object with some of these keys, mostly with plausible values. */
export const objectText = (keys: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(
      fc.tuple(
        fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...keys) }, { weight: 1, arbitrary: key }),
        member,
      ),
      {
        maxLength: 6,
      },
    )
    .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`);

const member = fc.oneof(
  { weight: 4, arbitrary: text.map((value) => JSON.stringify(value)) },
  { weight: 3, arbitrary: number.map(String) },
  { weight: 2, arbitrary: jsonText },
);
