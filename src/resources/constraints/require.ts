import type { Constraint } from "./schema.ts";

/** What the API would refuse, each with where. */
export function* constraintWarnings(path: string, constraints: Constraint[]): Generator<string> {
  for (const [index, { operator, value }] of constraints.entries()) {
    const [, isValid, what] = SINGLE.find(([prefix]) => operator.startsWith(prefix)) ?? [];
    if (isValid && !isValid(value ?? ""))
      yield `${path}.${index}.value: ${operator} takes ${what}, not ${JSON.stringify(value) ?? "nothing"}`;
  }
}

/** Text that is a number. */
export const isNumber = (value: unknown) =>
  typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value));

/** The grammar of semver.org, which allows no leading zeros. */
const SEMVER =
  /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}(-(0|[1-9]\d*|\d*[a-z-][\da-z-]*)(\.(0|[1-9]\d*|\d*[a-z-][\da-z-]*))*)?(\+[\da-z-]+(\.[\da-z-]+)*)?$/i;

/** Operators that take one value, by the beginning of their names. */
const SINGLE: ReadonlyArray<[prefix: string, isValid: (value: string) => boolean, what: string]> = [
  ["NUM_", isNumber, "a number"],
  ["DATE_", (value) => !Number.isNaN(Date.parse(value)), "a date"],
  ["SEMVER_", (value) => SEMVER.test(value), "a version such as 1.2.3"],
];
