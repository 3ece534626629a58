import { OPERATORS } from "../evaluation/constraint.ts";
import type { Random } from "./random.ts";

const STRATEGY_NAMES = [
  ...["flexibleRollout", "flexibleRollout", "flexibleRollout", "default", "userWithId"],
  ...["remoteAddress", "applicationHostname", "default", "remoteAddress", "applicationHostname"],
];

const PERCENTAGES = ["1", "5", "10", "25", "50", "75", "100"];

/** A strategy for the flag with that number; cycles through all kinds and operators. */
export function makeStrategy(random: Random, feature: string, number: number) {
  const name = STRATEGY_NAMES[number % STRATEGY_NAMES.length]!;
  return {
    id: random.uuid(),
    name,
    ...(random.chance(0.3) && {
      title: random.pick(["Employees first", "Slow start", "Early access", "Beta group"]),
    }),
    disabled: random.chance(0.1),
    segments: random.chance(0.25) ? [1 + random.below(3)] : [],
    constraints: number % 2 === 0 ? [makeConstraint(random, number / 2)] : [],
    variants: name === "flexibleRollout" && random.chance(0.3) ? makeVariants(random) : [],
    parameters: makeParameters(random, name, feature),
  };
}

/** Named alternatives whose weights add up to 1000. */
export function makeVariants(random: Random) {
  const payloads = [
    { type: "string", value: "blue" },
    { type: "json", value: '{"layout":"wide","columns":3}' },
    { type: "csv", value: "red,green,blue" },
    { type: "number", value: "42" },
  ];
  const fixed = 100 * (1 + random.below(4));
  const variant = (name: string, weight: number, weightType: string) => ({
    name,
    weight,
    weightType,
    stickiness: random.pick(["default", "userId", "sessionId"]),
    ...(random.chance(0.6) && { payload: random.pick(payloads) }),
  });
  return [variant("control", fixed, "fix"), variant("treatment", 1000 - fixed, "variable")];
}

/** A constraint with the operator of that number, wrapping around after the last. */
export function makeConstraint(random: Random, number: number) {
  const operator = OPERATORS[number % OPERATORS.length]!;
  const inverted = random.chance(0.2);
  if (operator.startsWith("STR")) {
    return { contextName: "email", operator, values: ["@bikes.example"], caseInsensitive: true, inverted };
  }
  if (operator.startsWith("NUM"))
    return { contextName: "age", operator, value: String(random.below(90)), inverted };
  if (operator.startsWith("DATE")) {
    return { contextName: "currentTime", operator, value: "2026-06-01T00:00:00.000Z", inverted };
  }
  if (operator.startsWith("SEMVER")) return { contextName: "appVersion", operator, value: "4.2.0", inverted };
  if (operator === "REGEX") return { contextName: "email", operator, value: "@(shop|bikes)[.]" };
  if (operator === "IN_CIDR")
    return { contextName: "remoteAddress", operator, values: ["10.0.0.0/8", "2001:db8::/32"], inverted };
  return {
    contextName: "country",
    operator,
    values: random.some(["DE", "FR", "IT", "NO", "GH", "JP"], 3),
    inverted,
  };
}

function makeParameters(random: Random, name: (typeof STRATEGY_NAMES)[number], feature: string) {
  const percentage = random.pick(PERCENTAGES);
  switch (name) {
    case "flexibleRollout":
      return { rollout: percentage, stickiness: random.pick(["default", "userId"]), groupId: feature };
    case "userWithId":
      return { userIds: "ada@bikes.example,bjorn@bikes.example" };
    case "remoteAddress":
      return { IPs: "192.0.2.0/24,198.51.100.7" };
    case "applicationHostname":
      return { hostNames: "canary-1.bikes.example,canary-2.bikes.example" };
    default:
      return {};
  }
}
