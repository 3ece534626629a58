import { type ParseArgsConfig, parseArgs } from "node:util";
import type { listen } from "../http/listen.ts";
import type { Log } from "../lib/logger.ts";
import { UsageError } from "../lib/usage-error.ts";
import { type Config, nearest, readConfig, SETTINGS, type Setting, type SettingName } from "./config.ts";

/** A command's view of the outside world; `main.ts` passes in the process. */
export interface World {
  argv: string[];
  env: NodeJS.ProcessEnv;
  pid: number;
  stdin: NodeJS.ReadableStream;
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

export interface Option {
  type: "string" | "boolean";
  /** May be given more than once. */
  multiple?: true;
  /** The placeholder for the value in help. */
  hint?: string;
  /** A single letter, used after one dash. */
  short?: string;
  help: string;
}

export interface Context {
  config: Config;
  args: string[];
  /** The command's own options. */
  options: Record<string, string | boolean | string[] | undefined>;
  world: World;
  log: Log;
  /** Prints a result to stdout. */
  print(line: string): void;
}

export interface Command {
  /** One or two words. */
  name: string;
  summary: string;
  /** The arguments after the name, as help shows them. */
  usage?: string;
  example: string;
  /** The minimum and maximum number of arguments. */
  arity?: [number, number];
  settings: readonly SettingName[];
  /** The command starts a server; for other commands, the server settings say where to find one. */
  isServer?: true;
  options?: Record<string, Option>;
  /** May return an exit code. */
  run(context: Context): unknown;
}

/** Most commands have this option, for scripts. */
export const JSON_OPTION = { json: { type: "boolean", help: "print JSON" } } as const;

/** @throws UsageError for an option or argument that the command doesn't have */
export function parse(command: Command, argv: string[], env: NodeJS.ProcessEnv) {
  const options = toParseArgs(optionsOf(command));
  rejectOptionsTakenByNpm(env, command, Object.keys(options));
  const { values, positionals } = parseStrictly({ args: argv, options, allowPositionals: true });
  const [min, max] = command.arity ?? [0, 0];
  if (positionals.length < min)
    throw new UsageError(`${command.name} needs ${command.usage}, for example: flagstone ${command.example}`);
  if (positionals.length > max)
    throw new UsageError(
      `${command.name} does not take the argument ${positionals[max]}${npmHint(env, command)}`,
    );
  return { config: readConfig(command.settings, values, env), args: positionals, options: values };
}

/** A command's options by name: its own, then the settings. */
export const optionsOf = ({ options = {}, settings, isServer }: Command): Record<string, Option> => ({
  ...options,
  ...Object.fromEntries(settings.map((name) => [name, toOption(SETTINGS[name], isServer)])),
});

const toOption = (setting: Setting, isServer = false): Option => ({
  ...setting,
  help: isServer ? setting.help : (setting.helpElsewhere ?? setting.help),
});

/** In the format of `parseArgs`. */
const toParseArgs = (options: Record<string, Option>): NonNullable<ParseArgsConfig["options"]> =>
  Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple = false }]) => [
      name,
      { type, multiple, ...(short !== undefined && { short }) },
    ]),
  );

function parseStrictly(config: ParseArgsConfig & { options: object }) {
  try {
    return parseArgs(config) as { values: Context["options"]; positionals: string[] };
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

interface Named {
  name: string;
}

/** Options that npm has as well, which may come from its configuration. */
const SETTINGS_OF_NPM = ["ca", "email"];

/** @throws UsageError if npm took an option meant for the command */
function rejectOptionsTakenByNpm(env: NodeJS.ProcessEnv, { name }: Named, options: string[]) {
  if (!isRunByNpm(env)) return;
  const taken = options
    .filter((option) => !SETTINGS_OF_NPM.includes(option))
    .filter((option) => env[`npm_config_${option.replaceAll("-", "_")}`])
    .map((option) => `--${option}`);
  if (taken.length > 0)
    throw new UsageError(
      `npm took ${taken.join(" and ")} as its own: run ${npmCommand(env, name, ...taken)} …`,
    );
}

/** A possible reason for an unexpected argument, to append to a message. */
const npmHint = (env: NodeJS.ProcessEnv, { name }: Named) =>
  isRunByNpm(env) ? `; npm takes options as its own unless they follow --: ${npmCommand(env, name)} …` : "";

const isRunByNpm = ({ npm_lifecycle_script: script }: NodeJS.ProcessEnv) =>
  / src\/main\.ts\b/.test(script ?? "");

/** The script may have the name of the command. */
const npmCommand = (
  { npm_lifecycle_event: script }: NodeJS.ProcessEnv,
  command: string,
  ...taken: string[]
) =>
  [
    script === "start" ? "npm start --" : `npm run ${script} --`,
    ...(command === script ? [] : [command]),
    ...taken,
  ].join(" ");
