import { environmentName, SETTINGS, type SettingName } from "../config.ts";
import { VERSION } from "../version.ts";
import type { Command, Option } from "./command.ts";

export const manCommand = (commands: () => readonly Command[]): Command => ({
  name: "man",
  summary: "Print the manual page",
  example: "man > /usr/local/share/man/man1/flagstone.1",
  settings: [],
  run: ({ print }) => print(manual(commands())),
});

/** The manual in the man macros of roff. */
const manual = (commands: readonly Command[]) =>
  [
    `.TH FLAGSTONE 1 "" "Flagstone ${VERSION}" "User Commands"`,
    ".SH NAME",
    "flagstone \\- administer feature flags from one SQLite file",
    ".SH SYNOPSIS",
    ".B flagstone",
    "[\\fICOMMAND\\fR] [\\fIOPTIONS\\fR]",
    ".SH DESCRIPTION",
    "It answers the admin API of Unleash from one SQLite file. Without a command it serves.",
    ".SH COMMANDS",
    ...commands.flatMap(commandLines),
    ".SH SETTINGS",
    "Each has a variable too; the flag wins.",
    ...(Object.keys(SETTINGS) as SettingName[]).flatMap(settingLines),
    ".SH ENVIRONMENT",
    ...item("FLAGSTONE_ADMIN_TOKEN", "The secret of the first token."),
    ...item("FLAGSTONE_ADMIN_TOKEN_FILE", "A file that holds it."),
    ".SH EXIT STATUS",
    ...EXIT_STATUS.flatMap(([code, meaning]) => item(code, meaning)),
    ".SH FILES",
    ...item(
      "flagstone.db",
      "The data file; beside it, while it is served, flagstone.db-wal, -shm and .lock.",
    ),
  ].join("\n");

const EXIT_STATUS = [
  ["0", "Done."],
  ["1", "Failed."],
  ["2", "Misused: an unknown command or option, a setting that can't be meant."],
  ["3", "Something is wrong with the data: the file, the dataset, the disk."],
  ["4", "The port is in use."],
] as const;

const commandLines = ({ name, usage = "", summary, settings, options = {}, example }: Command) => [
  `.SS ${escaped(`${name} ${usage}`.trimEnd())}`,
  escaped(`${summary}.`),
  ...Object.entries(options).flatMap(([option, { hint = "", help }]) =>
    item(`--${option} ${hint}`.trimEnd(), sentence(help)),
  ),
  ...(settings.length > 0
    ? [".PP", escaped(`Settings: ${settings.map((one) => `--${one}`).join(", ")}.`)]
    : []),
  ".PP",
  `.B ${escaped(`flagstone ${example}`)}`,
];

function settingLines(name: SettingName) {
  const { hint = "", help, otherwise }: Option & { otherwise: string | false } = SETTINGS[name];
  const preset = otherwise ? ` Otherwise ${otherwise}.` : "";
  return item(`--${name} ${hint}`.trimEnd(), `${sentence(help)} ${environmentName(name)}.${preset}`);
}

const item = (term: string, text: string) => [".TP", `.B ${escaped(term)}`, escaped(text)];

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** No character of it is a command to roff. */
const escaped = (text: string) =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/, "\\&");
