import * as v from "valibot";

/*
 * The building blocks of search parameters: `OPERATOR:value,value` (original).
 */

/** An operator and the values after its colon; undefined if there are none, which means no filter (original). */
export const filter = <const Operator extends string>(...operators: Operator[]) =>
  v.pipe(
    v.string(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const [operator = "", ...rest] = dataset.value.split(":");
      if (rest.length > 0 && operators.includes(operator as Operator))
        return toFilter(operator as Operator, rest.join(":"));
      addIssue({ message: `must be one of ${operators.join(", ")}, followed by a colon and a value` });
      return NEVER;
    }),
  );

function toFilter<Operator extends string>(operator: Operator, text: string) {
  const values = text
    .split(",")
    .map((value) => value.trim())
    .filter((value) => value !== "");
  return values.length === 0 ? undefined : { operator, values };
}

/** A calendar day, such as 2026-01-31. */
export function isDay(text: string) {
  const date = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(date.valueOf()) && date.toISOString().startsWith(text) && text.length === 10;
}

/** A numeric parameter; the default if it is not a number or out of bounds (original). */
export const lenient = (minimum: number, maximum: number, byDefault: number) =>
  v.pipe(
    v.optional(v.string(), ""),
    v.transform((text) => {
      const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      return number >= minimum && number <= maximum ? number : byDefault;
    }),
  );

/** Searching for a longer text would hold up all other requests. In characters. */
const MAX_LENGTH = 1000;

/** A text to search for; empty if there is none. */
export const SearchText = v.optional(
  v.pipe(v.string(), v.maxLength(MAX_LENGTH, `must have ${MAX_LENGTH} characters or fewer`)),
  "",
);

/** Comma-separated texts. */
export const Words = v.pipe(
  SearchText,
  v.transform((text) =>
    text
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== ""),
  ),
);
