import { UsageError } from "../lib/usage-error.ts";
import { VERSION } from "../lib/version.ts";
import { type Command, command, optionsOf } from "./command.ts";
import {
  environmentName,
  nearest,
  type Option,
  SETTINGS,
  type Setting,
  type SettingName,
  VARIABLES,
} from "./config.ts";

export const help = command({
  name: "help",
  summary: "Show help for all commands, or for one",
  usage: "[COMMAND]",
  example: "help import",
  maxArguments: 2,
  run({ args, commands, print }) {
    if (args.length === 0) return print(overview(commands));
    const words = args.join(" ");
    const found = commands.find(({ name }) => name === words);
    const group = groupOf(commands, words);
    if (found) print(helpOf(found));
    else if (group.length > 0) print(list(group).join("\n"));
    else throw unknownCommand(commands, words);
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
const flagOf = (name: string, { short, hint = "" }: Option) =>
  `${short === undefined ? "" : `-${short}, `}--${name} ${hint}`.trimEnd();

/** Its default and its variable. */
const presetOf = (name: string, { default: preset }: Setting) =>
  ` (${preset ? `${preset}; ` : ""}${environmentName(name)})`;

function columns(rows: ReadonlyArray<readonly [string, string]>) {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

export const man = command({
  name: "man",
  summary: "Print the manual page",
  example: "man > /usr/local/share/man/man1/flagstone.1",
  run: ({ commands, print }) => print(manual(commands)),
});

/** The manual page in roff's man macros. */
const manual = (commands: readonly Command[]) =>
  [
    `.TH FLAGSTONE 1 "" "Flagstone ${VERSION}" "User Commands"`,
    ".SH NAME",
    "flagstone \\- manage feature flags from one SQLite file",
    ".SH SYNOPSIS",
    ".B flagstone",
    "[\\fICOMMAND\\fR] [\\fIOPTIONS\\fR]",
    ".SH DESCRIPTION",
    "Flagstone implements the Unleash admin API on one SQLite file. The default command is serve.",
    ".SH COMMANDS",
    ...commands.flatMap(commandLines),
    ".SH SETTINGS",
    "Each can also be set with a variable; the option takes precedence.",
    ...(Object.keys(SETTINGS) as SettingName[]).flatMap(settingLines),
    ".SH ENVIRONMENT",
    ...Object.entries(VARIABLES).flatMap(([name, purpose]) => item(name, purpose)),
    ".SH EXIT STATUS",
    ...EXIT_MEANINGS.flatMap(([code, meaning]) => item(String(code), sentence(meaning))),
    ".SH FILES",
    ...item(
      "flagstone.db",
      "The data file. While a server is using it, flagstone.db-wal, -shm and .lock exist next to it.",
    ),
  ].join("\n");

const commandLines = ({ name, usage = "", summary, settings = [], options = {}, example }: Command) => [
  `.SS ${escaped(`${name} ${usage}`.trimEnd())}`,
  escaped(`${summary}.`),
  ...Object.entries(options).flatMap(([name, option]) => item(flagOf(name, option), sentence(option.help))),
  ...(settings.length > 0
    ? [".PP", escaped(`Settings: ${settings.map((one) => `--${one}`).join(", ")}.`)]
    : []),
  ".PP",
  `.B ${escaped(`flagstone ${example}`)}`,
];

function settingLines(name: SettingName) {
  const setting: Setting = SETTINGS[name];
  const preset = setting.default ? ` Default: ${setting.default}.` : "";
  return item(flagOf(name, setting), `${sentence(setting.help)} ${environmentName(name)}.${preset}`);
}

const item = (term: string, text: string) => [".TP", `.B ${escaped(term)}`, escaped(text)];

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Escapes whatever roff would take for a command. */
const escaped = (text: string) =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/, "\\&");
