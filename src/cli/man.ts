import { VERSION } from "../lib/version.ts";
import type { Command } from "./command.ts";
import { environmentName, SETTINGS, type Setting, type SettingName } from "./config.ts";
import { EXIT_MEANINGS, flagOf } from "./help.ts";
import { VARIABLES } from "./variables.ts";

export const manCommand = (commands: () => readonly Command[]): Command => ({
  name: "man",
  summary: "Print the manual page",
  example: "man > /usr/local/share/man/man1/flagstone.1",
  settings: [],
  run: ({ print }) => print(manual(commands())),
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

const commandLines = ({ name, usage = "", summary, settings, options = {}, example }: Command) => [
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
