import { type ParseArgsConfig, parseArgs } from "node:util";
import { type Config, readConfig, SETTINGS, type Setting, type SettingName, UsageError } from "../config.ts";
import type { Log } from "../log.ts";
import { npmHint, requireNothingKept } from "./npm.ts";
import { nearest } from "./suggest.ts";

/** A command's view of the outside world; `main.ts` passes in the process. */
export interface World {
  argv: string[];
  env: NodeJS.ProcessEnv;
  pid: number;
  stdin: NodeJS.ReadableStream;
  stdout: NodeJS.WritableStream & { isTTY?: boolean };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
  once(signal: NodeJS.Signals, listener: () => void): unknown;
}

/** Calls back once, with the name of the signal, when the process is asked to stop or its terminal is closed. */
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
  /** The least and the most arguments. */
  arity?: [number, number];
  settings: readonly SettingName[];
  /** It is a server; for other commands, a server's settings say where to find one. */
  isServer?: true;
  options?: Record<string, Option>;
  /** May return an exit code. */
  run(context: Context): unknown;
}

/** The option of most commands for use in scripts. */
export const JSON_OPTION = { json: { type: "boolean", help: "print JSON" } } as const;

/** @throws UsageError for an option or argument that the command doesn't have */
export function parse(command: Command, argv: string[], env: NodeJS.ProcessEnv) {
  const options = toParsed(optionsOf(command));
  requireNothingKept(env, command, Object.keys(options));
  const { values, positionals } = parsed({ args: argv, options, allowPositionals: true });
  const [least, most] = command.arity ?? [0, 0];
  if (positionals.length < least)
    throw new UsageError(`${command.name} needs ${command.usage}, as in: flagstone ${command.example}`);
  if (positionals.length > most)
    throw new UsageError(`${command.name} takes no argument ${positionals[most]}${npmHint(env, command)}`);
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
const toParsed = (options: Record<string, Option>): NonNullable<ParseArgsConfig["options"]> =>
  Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple = false }]) => [
      name,
      { type, multiple, ...(short !== undefined && { short }) },
    ]),
  );

function parsed(config: ParseArgsConfig & { options: object }) {
  try {
    return parseArgs(config) as { values: Context["options"]; positionals: string[] };
  } catch (error) {
    // After the first sentence, its messages go on with advice about dashes.
    const message = inOurWords((error as Error).message.split(/\.\s/)[0]!);
    const unknown = /^Unknown option '--(.+)'$/.exec(message)?.[1];
    throw new UsageError(message + (unknown ? suggestOption(unknown, Object.keys(config.options)) : ""));
  }
}

const inOurWords = (message: string) =>
  message
    .replace(/^Option '(?:-\w, )?(--[\w-]+).*' argument (missing|is ambiguous)$/, "$1 needs a value")
    .replace(/^Option '(?:-\w, )?(--[\w-]+)' does not take an argument$/, "$1 takes no value");

/** Without the dashes, which always match and would make names look more alike. */
function suggestOption(unknown: string, known: readonly string[]) {
  const found = nearest(unknown.toLowerCase(), [...known, "help", "version"]);
  return found === undefined ? "" : `: did you mean --${found}?`;
}
