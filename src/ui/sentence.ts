import { listed } from "./format.ts";

/*
 * Strategies and constraints in words.
 */

interface ConstraintLike {
  contextName: string;
  operator: string;
  caseInsensitive?: boolean | undefined;
  inverted?: boolean | undefined;
  values?: readonly string[] | undefined;
  value?: string | undefined;
}

interface StrategyLike {
  name: string;
  parameters?: Readonly<Record<string, string>> | undefined;
  constraints?: readonly ConstraintLike[] | undefined;
}

/** Operators and their wording; the single ones compare with one value, the others with any of a list. */
export const OPERATORS: ReadonlyArray<readonly [operator: string, words: string, isSingle?: true]> = [
  ["IN", "is one of"],
  ["NOT_IN", "is none of"],
  ["STR_STARTS_WITH", "starts with"],
  ["STR_ENDS_WITH", "ends with"],
  ["STR_CONTAINS", "contains"],
  ["NUM_EQ", "=", true],
  ["NUM_GT", ">", true],
  ["NUM_GTE", "≥", true],
  ["NUM_LT", "<", true],
  ["NUM_LTE", "≤", true],
  ["DATE_AFTER", "is after", true],
  ["DATE_BEFORE", "is before", true],
  ["SEMVER_EQ", "is version", true],
  ["SEMVER_GT", "is a later version than", true],
  ["SEMVER_LT", "is an earlier version than", true],
  ["SEMVER_GTE", "is at least version", true],
  ["SEMVER_LTE", "is at most version", true],
  ["REGEX", "matches", true],
  ["IN_CIDR", "is in the network"],
];

/** Whether an operator compares with one value rather than a list. */
export const isSingle = (operator: string) =>
  OPERATORS.some(([name, , single]) => name === operator && single);

/** Isolates a user's text, so that right-to-left characters in it don't reorder the words around it. */
export const isolated = (name: string) => `\u2068${name}\u2069`;

/** How many values are spelled out; there may be a thousand. */
const SHOWN = 5;

export const shortened = (values: readonly string[], conjunction = "or") =>
  values.length > SHOWN
    ? `${values.slice(0, SHOWN).map(isolated).join(", ")} and ${values.length - SHOWN} more`
    : listed(values.map(isolated), conjunction);

/** "country is one of NO or SE". */
export function constraintInWords({
  contextName,
  operator,
  inverted,
  caseInsensitive,
  ...rest
}: ConstraintLike) {
  const words = OPERATORS.find(([name]) => name === operator)?.[1] ?? operator;
  const against = isSingle(operator) ? isolated(rest.value ?? "") : shortened(rest.values ?? []);
  const text = `${isolated(contextName)} ${words} ${against || "(no value)"}`;
  return `${inverted ? `not (${text})` : text}${caseInsensitive ? " (ignoring case)" : ""}`;
}

/** "25% of users by userId, in the segment beta, where country is one of NO or SE". @param segments their names */
export function strategyInWords(strategy: StrategyLike, segments: readonly string[] = []): string {
  const { constraints = [] } = strategy;
  return [
    whoOf(strategy),
    segments.length > 0 &&
      `in the segment${segments.length > 1 ? "s" : ""} ${listed(segments.map(isolated))}`,
    constraints.length > 0 && `where ${listed(constraints.map(constraintInWords))}`,
  ]
    .filter(Boolean)
    .join(", ");
}

const parts = (text = "") =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** Who gets the flag, for built-in strategies; others are described by their parameters. */
const WHO: Readonly<Record<string, (parameters: Readonly<Record<string, string>>) => string>> = {
  default: () => "Everyone",
  flexibleRollout: ({ rollout = "100", stickiness = "default" }) =>
    rollout === "100"
      ? "Everyone"
      : `${rollout}% of users${STICKINESS[stickiness] ?? ` by ${isolated(stickiness)}`}`,
  userWithId: ({ userIds }) => `Users ${shortened(parts(userIds))}`,
  remoteAddress: ({ IPs }) => `Clients at ${shortened(parts(IPs))}`,
  applicationHostname: ({ hostNames }) => `Applications on ${shortened(parts(hostNames))}`,
};

const STICKINESS: Readonly<Record<string, string>> = { default: "", random: " at random on each evaluation" };

function whoOf({ name, parameters = {} }: StrategyLike) {
  const describe = WHO[name];
  if (describe) return describe(parameters);
  const settings = Object.entries(parameters).map(([key, value]) => `${isolated(key)} ${isolated(value)}`);
  return `Strategy ${isolated(name)}${settings.length > 0 ? ` with ${listed(settings)}` : ""}`;
}
