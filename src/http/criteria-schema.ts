import * as v from "valibot";

/*
 * What the parameters of a search are made of: `OPERATOR:value,value` (original).
 */

/** An operator and the values behind its colon; undefined where there are none, which is no filter (original). */
export const filter = <const Operator extends string>(...operators: Operator[]) =>
  v.pipe(
    v.string(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const [operator = "", ...rest] = dataset.value.split(":");
      if (rest.length > 0 && operators.includes(operator as Operator))
        return toFilter(operator as Operator, rest.join(":"));
      addIssue({ message: `must be a value behind one of ${operators.join(", ")} and a colon` });
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

/** A day in the calendar, such as 2026-01-31. */
export function isDay(text: string) {
  const date = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(date.valueOf()) && date.toISOString().startsWith(text) && text.length === 10;
}

/** A number of a parameter; the default where it is none, or out of bounds (original). */
export const lenient = (minimum: number, maximum: number, byDefault: number) =>
  v.pipe(
    v.optional(v.string(), ""),
    v.transform((text) => {
      const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      return number >= minimum && number <= maximum ? number : byDefault;
    }),
  );

/** Longer texts are refused: looking for one would hold all others. In characters. */
const LONGEST = 1000;

/** A text to look for; empty if there is none. */
export const SearchText = v.optional(
  v.pipe(v.string(), v.maxLength(LONGEST, `must have ${LONGEST} characters or fewer`)),
  "",
);

/** Texts with commas between. */
export const Words = v.pipe(
  SearchText,
  v.transform((text) =>
    text
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== ""),
  ),
);
