import net from "node:net";
import * as v from "valibot";
import { re2js } from "#on-demand";
import { invalid } from "../lib/api-error.ts";
import type { Violation } from "../lib/validation.ts";

export const OPERATORS = [
  "NOT_IN",
  "IN",
  "STR_ENDS_WITH",
  "STR_STARTS_WITH",
  "STR_CONTAINS",
  "NUM_EQ",
  "NUM_GT",
  "NUM_GTE",
  "NUM_LT",
  "NUM_LTE",
  "DATE_AFTER",
  "DATE_BEFORE",
  "SEMVER_EQ",
  "SEMVER_GT",
  "SEMVER_GTE",
  "SEMVER_LT",
  "SEMVER_LTE",
  "REGEX",
  "IN_CIDR",
] as const;

/**
 * A condition on the evaluation context. Stored in its wire form, with defaults filled in. An import may contain
 * an unknown operator, which never matches.
 */
export const Constraint = v.strictObject({
  contextName: v.string(),
  operator: v.string(),
  caseInsensitive: v.optional(v.boolean(), false),
  inverted: v.optional(v.boolean(), false),
  values: v.optional(v.array(v.string()), []),
  value: v.optional(v.string()),
});
export type Constraint = v.InferOutput<typeof Constraint>;

/** A constraint in a request. */
export const NewConstraint = v.object({
  ...Constraint.entries,
  operator: v.picklist(OPERATORS as readonly string[], "is not a known operator"),
});

/**
 * Checks that constraints can be evaluated: their values must suit the operator.
 * @throws ApiError `ValidationError` listing every violation; `where` prefixes each path
 */
export function requireConstraints(constraints: readonly Constraint[], where: string) {
  requireNone(constraints.flatMap((constraint, index) => [...violations(`${where}.${index}`, constraint)]));
}

/** The same for a single constraint. */
export const requireConstraint = (constraint: Constraint, where: string) =>
  requireNone([...violations(where, constraint)]);

function requireNone([first, ...others]: Violation[]) {
  if (first) throw invalid(first, ...others);
}

/** Each violation that the API would refuse, as `path: message`. */
export function* constraintWarnings(path: string, constraints: readonly Constraint[]): Generator<string> {
  for (const [index, constraint] of constraints.entries())
    for (const violation of violations(`${path}.${index}`, constraint))
      yield `${violation.path}: ${violation.message}`;
}

function* violations(where: string, constraint: Constraint): Generator<Violation> {
  const { contextName, operator, value, values } = constraint;
  const at = (part: string, message: string) => ({ path: `${where}.${part}`, message });
  if (contextName === "") yield at("contextName", "must not be empty");
  const invalidLength = values.findIndex((item) => item.length < 1 || item.length > MAX_VALUE_LENGTH);
  if (invalidLength >= 0)
    yield at(`values.${invalidLength}`, `must have 1 to ${MAX_VALUE_LENGTH} characters`);
  if (!(OPERATORS as readonly string[]).includes(operator)) yield at("operator", "is not a known operator");
  if (/^(STR_|IN|NOT_IN)/.test(operator) && values.length === 0)
    yield at("values", `${operator} takes at least one value`);
  const invalidRange = operator === "IN_CIDR" ? values.findIndex((range) => !isRange(range)) : -1;
  if (invalidRange >= 0)
    yield at(`values.${invalidRange}`, "must be an address or a range such as 10.0.0.0/8");
  if (operator === "REGEX" && constraint.inverted) yield at("inverted", "REGEX can't be inverted"); // original
  const [, isValid, expected] = ruleOf(constraint) ?? [];
  if (isValid && !isValid(value ?? ""))
    yield at("value", `${operator} takes ${expected}, not ${JSON.stringify(value) ?? "nothing"}`);
}

/** For each of several values, in characters (original). */
const MAX_VALUE_LENGTH = 100;

const MAX_REGEX_LENGTH = 1000;

const ruleOf = ({ operator }: Constraint) => SINGLE.find(([prefix]) => operator.startsWith(prefix));

/** Whether a constraint's operator takes `value`, not `values`. */
export const takesOneValue = (constraint: Constraint) => ruleOf(constraint) !== undefined;

/** Text that is a decimal number. */
export const isNumber = (value: unknown) =>
  typeof value === "string" && DECIMAL.test(value) && Number.isFinite(Number(value));

/** Beyond 2^53, different texts would count as the same number (original). */
const isExact = (value: string) => isNumber(value) && Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER;

const DECIMAL = /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i;

/** The grammar of semver.org, which allows no leading zeros, without the build, which is never compared (original). */
const SEMVER =
  /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}(-(0|[1-9]\d*|\d*[a-z-][\da-z-]*)(\.(0|[1-9]\d*|\d*[a-z-][\da-z-]*))*)?$/i;

/** Operators that take one value, by their prefixes. */
const SINGLE: ReadonlyArray<[prefix: string, isValid: (value: string) => boolean, expected: string]> = [
  ["NUM_", isExact, "a number below 2^53"],
  ["DATE_", (value) => !Number.isNaN(Date.parse(value)), "a date"],
  ["SEMVER_", (value) => SEMVER.test(value), "a version such as 1.2.3"],
  ["REGEX", isRegex, `a regular expression in RE2 syntax of at most ${MAX_REGEX_LENGTH} characters`],
];

/** RE2, the syntax that all SDKs share: without lookaround and backreferences, so it is matched in linear time. */
function isRegex(text: string) {
  if (text === "" || text.length > MAX_REGEX_LENGTH) return false;
  try {
    re2js().RE2JS.compile(text);
    return true;
  } catch {
    return false;
  }
}

/** An IP address, or a network in CIDR notation. */
function isRange(text: string) {
  const [, address = "", length] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? [];
  const bits = { 0: -1, 4: 32, 6: 128 }[net.isIP(address)]!;
  return Number(length ?? 0) <= bits;
}
