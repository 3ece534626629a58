import { UsageError } from "../lib/usage-error.ts";
import { type Command, type Option, optionsOf } from "./command.ts";
import { environmentName, SETTINGS, type Setting, type SettingName } from "./config.ts";
import { nearest } from "./suggest.ts";

export const helpCommand = (commands: () => readonly Command[]): Command => ({
  name: "help",
  summary: "Show help for all commands, or for one",
  usage: "[COMMAND]",
  example: "help import",
  arity: [0, 2],
  settings: [],
  run({ args, print }) {
    if (args.length === 0) return print(overview(commands()));
    const words = args.join(" ");
    const command = commands().find((candidate) => candidate.name === words);
    const group = groupOf(commands(), words);
    if (command) print(helpOf(command));
    else if (group.length > 0) print(list(group).join("\n"));
    else throw unknownCommand(commands(), words);
  },
});

/** For an unknown command: lists those of its group, or else suggests the ones with the most similar name. */
export function unknownCommand(commands: readonly Command[], words: string) {
  const [first = ""] = words.split(" ");
  const group = groupOf(commands, first).map(({ name }) => name);
  if (group.length > 0) return new UsageError(`Unknown command ${words}: must be one of ${group.join(", ")}`);
  const names = commands.map(({ name }) => name.split(" ")[0]!);
  const found = nearest(first, [...names, ...Object.keys(OTHER_NAMES)]);
  if (found === undefined) return new UsageError(`Unknown command ${first}`);
  const similar = groupOf(commands, found).map(({ name }) => name);
  const meant = nearest(words, similar) ?? (similar.join(" or ") || (OTHER_NAMES[found] ?? found));
  return new UsageError(`Unknown command ${words}: did you mean ${meant}?`);
}

/** What other programs call our commands. */
const OTHER_NAMES: Readonly<Record<string, string>> = { start: "serve" };

/** `token create` and `token list` belong to the group `token`. */
const groupOf = (commands: readonly Command[], first: string) =>
  commands.filter(({ name }) => name.startsWith(`${first} `));

const list = (commands: readonly Command[]) =>
  columns(commands.map(({ name, usage = "", summary }) => [`${name} ${usage}`.trimEnd(), summary]));

/** Our exit codes and what they mean. */
export const EXIT_MEANINGS = [
  [0, "done"],
  [1, "failed"],
  [2, "usage error"],
  [3, "problems with the data"],
  [4, "the port is in use"],
  [5, "diff found differences"],
] as const;

/** All commands, one per line. */
export const overview = (commands: readonly Command[]) =>
  [
    "Flagstone manages feature flags in one SQLite file and implements the Unleash admin API.",
    "",
    "Usage: flagstone [COMMAND] [OPTIONS]",
    "",
    ...list(commands),
    "",
    "The default command is serve. For help with a command: flagstone help COMMAND",
    `Exit codes: ${EXIT_MEANINGS.map(([code, meaning]) => `${code} ${meaning}`).join(", ")}`,
  ].join("\n");

/** One command: its purpose, its options with their variables, and an example. */
export function helpOf(command: Command) {
  const { name, summary, usage = "", example } = command;
  const rows = Object.entries(optionsOf(command)).map(([option, one]) => row(option, one));
  const options = rows.length > 0 ? "[OPTIONS]" : "";
  const words = usage.startsWith("--") ? [name, options, usage] : [name, usage, options];
  return [
    `Usage: flagstone ${words.filter(Boolean).join(" ")}`,
    "",
    `${summary}.`,
    ...(rows.length > 0 ? ["", ...columns(rows)] : []),
    "",
    `Example: flagstone ${example}`,
  ].join("\n");
}

function row(name: string, option: Option) {
  const setting = Object.hasOwn(SETTINGS, name) ? SETTINGS[name as SettingName] : undefined;
  return [flagOf(name, option), option.help + (setting ? presetOf(name, setting) : "")] as const;
}

/** The flag as help shows it: `-p, --port NUMBER`. */
export const flagOf = (name: string, { short, hint = "" }: Option) =>
  `${short === undefined ? "" : `-${short}, `}--${name} ${hint}`.trimEnd();

/** Its default and its variable. */
const presetOf = (name: string, { default: preset }: Setting) =>
  ` (${preset ? `${preset}; ` : ""}${environmentName(name)})`;

function columns(rows: ReadonlyArray<readonly [string, string]>) {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
