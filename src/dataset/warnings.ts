import type * as v from "valibot";
import type { Database } from "../db/statement.ts";
import type * as schema from "../resources/features/schema.ts";
import { providerByName } from "../resources/integrations/providers.ts";
import { isKnown } from "./reference.ts";

/*
 * What a dataset may hold and the API would refuse: it is stored and answered as it is, but can't be changed
 * without being put right. Each warning begins with where.
 */

type Constraint = v.InferOutput<typeof schema.Constraint>;
type Variant = v.InferOutput<typeof schema.Variant>;

interface Strategy {
  name: string;
  parameters: Record<string, unknown>;
  constraints: Constraint[];
  variants: Variant[];
}

interface Feature {
  name: string;
  type: string;
  environments: Array<{ variants: Variant[]; strategies: Strategy[] }>;
}

export function* featureWarnings(db: Database, { name, type, environments }: Feature): Generator<string> {
  yield* nameWarnings("name", name);
  if (!isKnown(db, "featureType", type)) yield `type: there is no flag type ${JSON.stringify(type)}`;
  for (const [index, { variants, strategies }] of environments.entries()) {
    yield* weightWarnings(`environments.${index}.variants`, variants);
    for (const [order, strategy] of strategies.entries())
      yield* strategyWarnings(db, `environments.${index}.strategies.${order}`, strategy);
  }
}

/** Of a name that is part of addresses. */
export function* nameWarnings(path: string, name: string): Generator<string> {
  if (encodeURIComponent(name) !== name || name.length > 100)
    yield `${path}: the API takes up to 100 letters and digits and - . _ ~ ! * ' ( )`;
}

export function* constraintWarnings(path: string, constraints: Constraint[]): Generator<string> {
  for (const [index, { operator, value }] of constraints.entries()) {
    const [, isValid, what] = SINGLE.find(([prefix]) => operator.startsWith(prefix)) ?? [];
    if (isValid && !isValid(value ?? ""))
      yield `${path}.${index}.value: ${operator} takes ${what}, not ${JSON.stringify(value) ?? "nothing"}`;
  }
}

export function* integrationWarnings(line: {
  provider: string;
  parameters: Record<string, unknown>;
}): Generator<string> {
  const provider = providerByName(line.provider);
  if (!provider) return yield `provider: there is no provider ${JSON.stringify(line.provider)}`;
  for (const { name, required } of provider.parameters)
    if (required && !line.parameters[name]) yield `parameters.${name}: is required by ${line.provider}`;
}

function* strategyWarnings(db: Database, path: string, strategy: Strategy): Generator<string> {
  const { name, parameters, constraints, variants } = strategy;
  if (!isKnown(db, "strategyType", name)) yield `${path}.name: there is no strategy ${JSON.stringify(name)}`;
  const { rollout = "100" } = parameters;
  if (name === "flexibleRollout" && !(isNumber(rollout) && Number(rollout) >= 0 && Number(rollout) <= 100))
    yield `${path}.parameters.rollout: must be 0 to 100, not ${JSON.stringify(rollout)}`;
  yield* constraintWarnings(`${path}.constraints`, constraints);
  yield* weightWarnings(`${path}.variants`, variants);
}

function* weightWarnings(path: string, variants: Variant[]): Generator<string> {
  const sum = variants.reduce((total, { weight }) => total + weight, 0);
  if (variants.length > 0 && sum !== 1000) yield `${path}: the weights must end at 1000, not ${sum}`;
}

const isNumber = (value: unknown) =>
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
