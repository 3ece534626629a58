import { type ParseArgsConfig, parseArgs } from "node:util";
import type { listen } from "../http/node-server.ts";
import type { Log } from "../lib/logger.ts";
import { UsageError } from "../lib/usage-error.ts";
import {
  type Config,
  environmentName,
  nearest,
  type Option,
  readConfig,
  SETTINGS,
  type SettingName,
} from "./config.ts";

/** A command's view of the outside world; `main.ts` passes in the process. */
export interface World {
  argv: string[];
  env: NodeJS.ProcessEnv;
  pid: number;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream & { isTTY?: boolean };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
  once(signal: NodeJS.Signals, listener: () => void): unknown;
  /** How a server listens, if not as it does in production. */
  listen?: typeof listen;
  /** Shows the link for signing in, besides printing it. */
  showLink?(url: string): void;
}

/** Calls the listener with the signal's name when the process is asked to stop or its terminal is closed. */
export function onStop(world: World, listener: (signal: string) => void) {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) world.once(signal, () => listener(signal));
}

type Options = Readonly<Record<string, Option>>;

type Values<O extends Options> = {
  [Name in keyof O]?: O[Name] extends { multiple: true }
    ? string[]
    : O[Name] extends { hint: string }
      ? string
      : boolean;
};

export interface Context<O extends Options = Record<never, Option>> {
  config: Config;
  args: string[];
  /** The values of the command's own options. */
  options: Values<O>;
  /** All commands, in the order of help. */
  commands: readonly Command[];
  world: World;
  log: Log;
  /** Prints a result to stdout. */
  print(line: string): void;
}

interface Declaration<O extends Options> {
  /** One or two words. */
  name: string;
  summary: string;
  /** The argument after the name, as help shows it: in brackets if it may be missing. */
  usage?: string;
  example: string;
  /** The most arguments it takes, if not one or none. */
  maxArguments?: number;
  settings?: readonly SettingName[];
  /** The command starts a server; for other commands, the server settings say where to find one. */
  isServer?: true;
  options?: O;
  /** What other programs call options and settings: `--NAME`, and in capitals a variable. */
  otherNames?: Readonly<Record<string, string>>;
  /** May return an exit code. */
  run(context: Context<O>): unknown;
}

export type Command = Declaration<Options>;

/** Declares a command: its handler receives the values of the options that it has. */
export const command = <const O extends Options = Record<never, Option>>(declaration: Declaration<O>) =>
  declaration as Command;

/** Most commands have this option, for scripts. */
export const JSON_OPTION = { json: { help: "print JSON" } } as const;

/** @throws UsageError for an option or argument that the command doesn't have */
export function parse(command: Command, given: string[], environment: NodeJS.ProcessEnv) {
  const { name, usage = "", example, settings = [], maxArguments = usage === "" ? 0 : 1 } = command;
  const { argv, env, variables } = inOwnWords(command, given, environment);
  const options = toParseArgs(optionsOf(command));
  rejectOptionsTakenByNpm(env, name, Object.keys(options));
  const { values, positionals } = parseStrictly({ args: argv, options, allowPositionals: true });
  if (positionals.length === 0 && /^[^[]/.test(usage))
    throw new UsageError(`${name} needs ${usage}, for example: flagstone ${example}`);
  if (positionals.length > maxArguments)
    throw new UsageError(
      `${name} does not take the argument ${positionals[maxArguments]}${npmHint(env, name)}`,
    );
  return {
    config: readConfig(settings, values, env),
    args: positionals,
    options: { ...variables, ...values },
  };
}

/** Arguments and variables with other programs' names replaced; those of options are apart. */
function inOwnWords({ otherNames = {}, options = {} }: Command, argv: string[], env: NodeJS.ProcessEnv) {
  const given = Object.entries(otherNames)
    .map(([name, own]) => [own, env[name.toUpperCase().replaceAll("-", "_")]] as const)
    .filter(([, value]) => value);
  const ofSettings = given
    .filter(([own]) => !(own in options))
    .map(([own, value]) => [environmentName(own), value]);
  const toOwn = (word: string, name: string) => (name in otherNames ? `--${otherNames[name]}` : word);
  return {
    argv: argv.map((word) => word.replace(/^--([^=]+)/, toOwn)),
    env: { ...Object.fromEntries(ofSettings), ...env } as NodeJS.ProcessEnv,
    variables: Object.fromEntries(given.filter(([own]) => own in options)) as Record<string, never>,
  };
}

/** A command's options by name: its own, then the settings. */
export function optionsOf({ options, settings = [], isServer }: Command): Record<string, Option> {
  const toOption = (name: SettingName) => {
    const { helpElsewhere, ...option }: Option & { helpElsewhere?: string } = SETTINGS[name];
    return [name, isServer ? option : { ...option, help: helpElsewhere ?? option.help }];
  };
  return { ...options, ...Object.fromEntries(settings.map(toOption)) };
}

/** In the format of `parseArgs`. */
const toParseArgs = (options: Options): NonNullable<ParseArgsConfig["options"]> =>
  Object.fromEntries(
    Object.entries(options).map(([name, { hint, short, multiple = false }]) => [
      name,
      { type: hint === undefined ? "boolean" : "string", multiple, ...(short !== undefined && { short }) },
    ]),
  );

function parseStrictly(config: ParseArgsConfig & { options: object }) {
  try {
    return parseArgs(config) as { values: Record<string, never>; positionals: string[] };
  } catch (error) {
    // Only the first sentence: the rest of its messages is advice about dashes.
    const message = reword((error as Error).message.split(/\.\s/)[0]!);
    const unknown = /^Unknown option '--(.+)'$/.exec(message)?.[1];
    throw new UsageError(message + (unknown ? suggestOption(unknown, Object.keys(config.options)) : ""));
  }
}

const reword = (message: string) =>
  message
    .replace(/^Option '(?:-\w, )?(--[\w-]+).*' argument (missing|is ambiguous)$/, "$1 needs a value")
    .replace(/^Option '(?:-\w, )?(--[\w-]+)' does not take an argument$/, "$1 takes no value");

/** Compares without the dashes, which would make all names look similar. */
function suggestOption(unknown: string, known: readonly string[]) {
  const found = nearest(unknown.toLowerCase(), [...known, "help", "version"]);
  return found === undefined ? "" : `: did you mean --${found}?`;
}

/*
 * In `npm start COMMAND --option`, npm takes the option as its own; it has to be `npm start -- COMMAND --option`. npm
 * passes such options in variables `npm_config_…`. Only a checkout checks for them, not the executable.
 */

/** Options that npm has as well, which may come from its configuration. */
const SETTINGS_OF_NPM = ["ca", "email"];

/** @throws UsageError if npm took an option meant for the command */
function rejectOptionsTakenByNpm(env: NodeJS.ProcessEnv, command: string, options: string[]) {
  if (!isRunByNpm(env)) return;
  const taken = options
    .filter((option) => !SETTINGS_OF_NPM.includes(option))
    .filter((option) => env[`npm_config_${option.replaceAll("-", "_")}`])
    .map((option) => `--${option}`);
  if (taken.length > 0)
    throw new UsageError(
      `npm took ${taken.join(" and ")} as its own: run ${npmCommand(env, command, ...taken)} …`,
    );
}

/** A possible reason for an unexpected argument, to append to a message. */
const npmHint = (env: NodeJS.ProcessEnv, command: string) =>
  isRunByNpm(env)
    ? `; npm takes options as its own unless they follow --: ${npmCommand(env, command)} …`
    : "";

const isRunByNpm = ({ npm_lifecycle_script: script = "" }: NodeJS.ProcessEnv) =>
  / src\/main\.ts\b/.test(script);

/** The script may have the name of the command. */
function npmCommand({ npm_lifecycle_event: script }: NodeJS.ProcessEnv, command: string, ...taken: string[]) {
  const start = script === "start" ? "npm start --" : `npm run ${script} --`;
  return [start, ...(command === script ? [] : [command]), ...taken].join(" ");
}

/** @throws UsageError unless the option is a whole number in its bounds, or not given */
export function wholeNumber<N extends string>(
  options: { readonly [name in N]?: string },
  name: N,
  { preset, minimum = 1, maximum }: { preset: number; minimum?: number; maximum: number },
): number {
  const value = Number(options[name] ?? preset);
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
  throw new UsageError(
    `--${name}: ${JSON.stringify(options[name])} must be a number from ${minimum} to ${maximum}`,
  );
}
