import { CLI } from "../access/actor.ts";
import { trials } from "../applications/playground.ts";
import type { Database } from "../db/database.ts";
import { DataError } from "../db/error.ts";
import { toContext } from "../evaluation/context.ts";
import type { Explanation, JudgedConstraint, JudgedStrategy } from "../evaluation/explain.ts";
import { printable } from "../lib/text.ts";
import { UsageError } from "../lib/usage-error.ts";
import { type Context, command, JSON_OPTION, onStop } from "./command.ts";
import { AT_OPTION, closing, dataFileToRead } from "./data-file.ts";
import { printResult } from "./output.ts";
import { ENVIRONMENT_OPTION, openSeeded, requireEnvironment, SEED_OPTION, watchSeed } from "./seed.ts";

const OPTIONS = {
  context: {
    multiple: true,
    hint: "NAME=VALUE",
    help: "the context: userId, sessionId, remoteAddress, currentTime, or any property",
  },
  ...ENVIRONMENT_OPTION,
  seed: { ...SEED_OPTION.seed, help: "evaluate flags from this file instead of the data file" },
  watch: { help: "print it again whenever the seed changes" },
  ...AT_OPTION,
  ...JSON_OPTION,
} as const;

export const evaluate = command({
  name: "evaluate",
  summary: "Print whether a flag is on, and why",
  usage: "FLAG",
  example: "evaluate new-checkout --context userId=7 --context country=NO",
  settings: ["data", "log-format", "log-level"],
  options: OPTIONS,
  async run(context) {
    const { seed, watch, at } = context.options;
    if (seed !== undefined && at !== undefined) throw new UsageError("--at: a seed has no history");
    if (!watch) return evaluateOnce(context);
    if (seed === undefined) throw new UsageError("--watch needs a --seed");
    await evaluateAndWatch(context, seed);
  },
});

async function evaluateOnce({ config, args, options, print }: Context<typeof OPTIONS>) {
  const { seed, at } = options;
  using db = seed === undefined ? dataFileToRead(config, at) : closing(await openSeeded(seed));
  const environment = requireEnvironment(db, options.environment);
  const explanation = explainFlag(db, args[0]!, environment, toFields(options.context));
  const words = explanationLines(explanation, environment).map(printable).join("\n");
  printResult({ options, print }, { ...explanation, environment }, words);
}

function explainFlag(db: Database, flag: string, environment: string, fields: Record<string, string>) {
  const trial = trials(db, CLI, "*", environment).find(({ name }) => name === flag);
  if (!trial) throw new DataError(`There is no flag ${flag}`);
  return trial.explain(toContext(fields, { environment })) as Explanation & { name: string };
}

/** @throws UsageError for anything other than NAME=VALUE */
const toFields = (pairs: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
      if (name === undefined) throw new UsageError(`--context: ${pair} is not NAME=VALUE`);
      return [name, value!];
    }),
  );

/** Runs until the process is asked to stop. Logs problems with the seed, and waits for it to change again. */
async function evaluateAndWatch(context: Context<typeof OPTIONS>, seed: string): Promise<void> {
  const reevaluate = () =>
    evaluateOnce(context).catch((error) => context.log({ level: "warn", message: error.message }));
  const stop = watchSeed(seed, reevaluate); // before it is read, so that no change is missed
  try {
    await evaluateOnce(context);
    await new Promise<string>((resolve) => onStop(context.world, resolve));
  } finally {
    stop();
  }
}

/** Why a flag is on or off, line by line: a sentence, then each strategy with its parts. */
function explanationLines(explanation: Explanation & { name: string }, environment: string): string[] {
  const { name, isEnabled, variant, strategies } = explanation;
  const first = isEnabled
    ? `${name} is on in ${environment}${variant.enabled ? `, with the variant ${variant.name}` : ""}`
    : `${name} is off in ${environment}: ${whyOff(explanation)}`;
  return [first, ...strategies.data.flatMap(strategyLines)];
}

function whyOff({ isEnabledInCurrentEnvironment, hasUnsatisfiedDependency, strategies, error }: Explanation) {
  if (!isEnabledInCurrentEnvironment) return "it is disabled there";
  if (error !== undefined) return `it can't be evaluated: ${error}`;
  if (hasUnsatisfiedDependency) return "a flag that it depends on is not in the required state";
  return strategies.result === "unknown"
    ? "only the application can evaluate one of its strategies"
    : "none of its strategies matches";
}

function strategyLines({ name, title, result, constraints, segments }: JudgedStrategy): string[] {
  const outcome = result.evaluationStatus === "unevaluated" ? "is disabled" : verdict(result.enabled);
  return [
    `  ${title ? `${title} (${name})` : name} ${outcome}`,
    ...constraints.map((one) => `    ${constraintLine(one)}`),
    ...segments.flatMap((segment) => [
      `    segment ${segment.name} ${verdict(segment.result)}`,
      ...segment.constraints.map((one) => `      ${constraintLine(one)}`),
    ]),
  ];
}

const constraintLine = ({ contextName, operator, inverted, value, values, result }: JudgedConstraint) =>
  `${contextName} ${inverted ? "not " : ""}${operator} ${value ?? values.join(", ")} ${verdict(result)}`;

const verdict = (result: boolean | "unknown") =>
  result === "unknown" ? "can only be evaluated by the application" : result ? "matches" : "does not match";
