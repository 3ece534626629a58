import { DatasetError } from "../dataset/kind.ts";
import { DataError, explainError, explainTargetError } from "../db/error.ts";
import { PortInUseError } from "../http/node-server.ts";
import { createLog } from "../lib/logger.ts";
import { printable } from "../lib/text.ts";
import { UsageError } from "../lib/usage-error.ts";
import { apply, DifferenceError, diff } from "./apply.ts";
import { backup, compact, restore } from "./backup.ts";
import { type Command, parse, type World } from "./command.ts";
import { completion } from "./completion.ts";
import { warnAboutMisspelt } from "./config.ts";
import { demo } from "./demo.ts";
import { doctor } from "./doctor.ts";
import { edge } from "./edge.ts";
import { evaluate } from "./evaluate.ts";
import { eventsHead, eventsPurge, eventsVerify, historyPurge } from "./events.ts";
import { exportCommand } from "./export.ts";
import { flagCreate, flagHistory, flagList, flagOff, flagOn } from "./flag.ts";
import { health } from "./health.ts";
import { help, helpOf, man, unknownCommand } from "./help.ts";
import { importCommand } from "./import.ts";
import { pull } from "./pull.ts";
import { push } from "./push.ts";
import { runCommand } from "./run-command.ts";
import { secretsRotate } from "./secrets.ts";
import { serve } from "./serve.ts";
import { tail } from "./tail.ts";
import { tokenCreate, tokenList, tokenRevoke } from "./token.ts";
import { undo } from "./undo.ts";
import { userCreate, userLink, userList, userReset } from "./user.ts";
import { licenses, version } from "./version.ts";

/** In the order of help; the first is the default. */
export const COMMANDS: readonly Command[] = [
  serve,
  demo,
  edge,
  runCommand,
  flagList,
  flagCreate,
  flagOn,
  flagOff,
  flagHistory,
  undo,
  evaluate,
  importCommand,
  pull,
  push,
  exportCommand,
  apply,
  diff,
  tokenCreate,
  tokenList,
  tokenRevoke,
  userCreate,
  userList,
  userLink,
  userReset,
  backup,
  restore,
  compact,
  eventsVerify,
  eventsHead,
  eventsPurge,
  historyPurge,
  secretsRotate,
  doctor,
  health,
  tail,
  completion,
  man,
  version,
  licenses,
  help,
];

/** Exit codes by error; 0 is success, 1 any other failure. */
const EXIT_CODES = [
  [UsageError, 2],
  [DataError, 3],
  [DatasetError, 3],
  [PortInUseError, 4],
  [DifferenceError, 5],
] as const;

/** Runs the command in the arguments and returns the exit code. */
export async function run(world: World): Promise<number> {
  let command: Command | undefined;
  let outputError: unknown;
  world.stderr.on("error", () => {});
  world.stdout.on("error", (error) => (outputError = explainTargetError(error, "standard output")));
  try {
    const found = find(world.argv);
    command = found.command;
    const code = await start(command, found.argv, world);
    await new Promise<unknown>((resolve) => world.stdout.write("", resolve));
    if (outputError) throw outputError;
    return typeof code === "number" ? code : 0;
  } catch (error) {
    // The reader of the output may stop early, as `head` does; that is not a failure.
    if (isBrokenPipe(error)) return 0;
    return fail(world, command, isBrokenPipe(outputError) ? error : (outputError ?? error));
  }
}

/** Prints the error and returns its exit code. */
function fail({ stderr }: World, command: Command | undefined, error: unknown): number {
  const code = EXIT_CODES.find(([type]) => error instanceof type)?.[1] ?? 1;
  stderr.write(`flagstone: ${printable(error instanceof Error ? error.message : String(error))}\n`);
  const topic = command && command.name !== "help" ? ` ${command.name}` : "";
  if (code === 2) stderr.write(`Try: flagstone help${topic}\n`);
  return code;
}

/** The command named by the first one or two words, and the remaining arguments. */
function find(argv: string[]): { command: Command; argv: string[] } {
  const [first = "", second = ""] = argv;
  if (first === "--version" || first === "-v") return { command: version, argv: argv.slice(1) };
  if (isHelp(first)) return { command: help, argv: argv.slice(1) };
  if (first === "" || first.startsWith("-")) return { command: serve, argv };
  for (const words of [2, 1]) {
    const name = argv.slice(0, words).join(" ");
    const command = COMMANDS.find((candidate) => candidate.name === name);
    if (command) return { command, argv: argv.slice(words) };
  }
  if (isHelp(second)) return { command: help, argv: [first] };
  throw unknownCommand(COMMANDS, `${first} ${second}`.trimEnd());
}

async function start(command: Command, argv: string[], world: World): Promise<unknown> {
  const print = (line: string) => void world.stdout.write(`${line}\n`);
  if (ownArguments(argv).some(isHelp)) return print(helpOf(command));
  const parts = parse(command, argv, world.env);
  const { "log-format": format, "log-level": level, data } = parts.config;
  const log = createLog((text) => void world.stderr.write(text), format, level);
  if (command.settings) warnAboutMisspelt(world.env, log);
  try {
    return await command.run({ ...parts, commands: COMMANDS, world, log, print });
  } catch (error) {
    throw explainError(error, data);
  }
}

const isBrokenPipe = (error: unknown) => error instanceof Error && "code" in error && error.code === "EPIPE";

/** The arguments before a `--`, after which those of another program may follow. */
const ownArguments = (argv: string[]) =>
  argv.slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length);

const isHelp = (word: string) => word === "--help" || word === "-h";
