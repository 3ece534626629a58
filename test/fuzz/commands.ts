import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { optionsOf } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/run.ts";
import { EVENT_TYPES } from "../../src/events/schema.ts";
import { Finding } from "./checks.ts";
import { lines, withoutHidden } from "./dataset.ts";
import { jsonText, text } from "./values.ts";

/*
 * Commands run while the server is up: some change its data file, others are misused in a folder of their own.
 */

/** A command line and its standard input. */
export interface CommandCase {
  args: string[];
  input: string;
  /** Uses the server's data file rather than its own. */
  isServed: boolean;
}

const HEADER = '{"kind":"dataset","version":1}';

const createToken = fc
  .constantFrom("admin", "member")
  .map((user) => ({ args: ["token", "create", "fuzz", "--user", user], input: "", isServed: true }));

/** An event with odd names and data, which the server must then be able to show. */
const importEvent = fc
  .record({
    type: fc.constantFrom(...EVENT_TYPES),
    createdBy: text,
    project: text,
    featureName: text,
    environment: text,
  })
  .chain((names) => fc.record({ names: fc.constant(names), data: jsonText, preData: jsonText }))
  .map(({ names, data, preData }) => {
    const begin = JSON.stringify({ kind: "event", createdAt: "2026-02-01T00:00:00Z", ...names }).slice(0, -1);
    const input = `${HEADER}\n${begin},"data":${data},"preData":${preData}}\n`;
    return { args: ["import", "-"], input: withoutHidden(input), isServed: true };
  });

const DATASET = lines().map((line) => JSON.stringify(line));

/** The dataset with one corrupted line: a value replaced, a character changed, truncated, repeated or removed. */
const importCorrupted = fc
  .tuple(
    fc.nat(DATASET.length - 1),
    fc.constantFrom("value", "cut", "twice", "without", "character"),
    fc.nat(),
    jsonText,
  )
  .map(([index, how, at, value]) => {
    const line = DATASET[index]!;
    const place = at % line.length;
    const corrupted = {
      value: line.replaceAll(/(?<=":)("[^"]*"|\d+)/g, (one, _, offset) =>
        offset % 3 === at % 3 ? value : one,
      ),
      cut: line.slice(0, place),
      twice: `${line}\n${line}`,
      without: "",
      character: line.slice(0, place) + value.slice(0, 1) + line.slice(place + 1),
    }[how];
    return {
      args: ["import", "-"],
      input: DATASET.toSpliced(index, 1, corrupted).join("\n"),
      isServed: false,
    };
  });

/** Commands that exit by themselves and touch only their own folder. */
const HARMLESS = COMMANDS.filter(({ name }) => !["serve", "demo", "health"].includes(name));

/** Contains no path out of the folder, and no NUL, which an argument cannot hold. */
const word = fc
  .oneof(
    text,
    fc.constantFrom(
      "-",
      "--",
      "--json",
      "-x",
      "--=",
      "--__proto__",
      "--data",
      "--json=1",
      "flags.db",
      "folder",
    ),
  )
  .map((one) => one.slice(0, 5000).replaceAll(/[/\\\0]|^\.\.?$/g, "_"));

const misuse = fc
  .tuple(
    fc.constantFrom(...HARMLESS),
    fc.array(word, { maxLength: 4 }),
    fc.array(fc.tuple(fc.nat(), word), { maxLength: 3 }),
  )
  .map(([command, words, pairs]) => {
    const names = Object.keys(optionsOf(command));
    const options =
      names.length === 0 ? [] : pairs.flatMap(([at, value]) => [`--${names[at % names.length]}`, value]);
    return { args: [...command.name.split(" "), ...words, ...options], input: "", isServed: false };
  });

export const commandCase: fc.Arbitrary<CommandCase> = fc.oneof(
  createToken,
  importEvent,
  importCorrupted,
  misuse,
);

const CODES: ReadonlySet<unknown> = new Set([0, 1, 2, 3, 4]);
/** `run` uses the shell's codes for a command that is not executable or not found. */
const NOT_RUN: ReadonlySet<unknown> = new Set([126, 127]);
const STACK = /\n\s+at |SQLITE_|UnknownError|\bTypeError\b|\bRangeError\b/;

/** Runs the command and checks its result. @throws Finding */
export async function runCommand(executable: string, folder: string, data: string, one: CommandCase) {
  const own = path.join(folder, "own");
  fs.rmSync(own, { recursive: true, force: true });
  fs.mkdirSync(path.join(own, "folder"), { recursive: true });
  const run = (args: string[], input: string) =>
    ended(executable, args, input, { cwd: own, env: { FLAGSTONE_DATA: one.isServed ? data : "flags.db" } });
  const { code, output } = await run(one.args, one.input);
  const isExpected = CODES.has(code) || (one.args[0] === "run" && NOT_RUN.has(code));
  if (!isExpected) throw new Finding(`expected an exit code from 0 to 4, not ${code}: ${output}`);
  if (STACK.test(output))
    throw new Finding(`expected a message without a stack trace: ${output.slice(0, 1000)}`);
  if (code !== 0 || one.isServed || one.args[0] !== "import") return;
  const doctor = await run(["doctor"], "");
  if (doctor.code !== 0) throw new Finding(`expected an intact file after an import, not ${doctor.output}`);
}

/** Its exit code, signal or failure to start, and its stderr. */
function ended(
  executable: string,
  args: string[],
  input: string,
  options: { cwd: string; env: NodeJS.ProcessEnv },
) {
  return new Promise<{ code: unknown; output: string }>((resolve) => {
    const child = execFile(
      executable,
      args,
      { ...options, timeout: 20_000, maxBuffer: 2 ** 26 },
      (error, _, stderr) => resolve({ code: error ? (error.signal ?? error.code) : 0, output: stderr }),
    );
    child.stdin!.on("error", () => {}); // it may exit before reading all input
    child.stdin!.end(input);
  });
}
