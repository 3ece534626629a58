import fs from "node:fs";
import { Socket } from "node:net";
import os from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import v8 from "node:v8";
import { type Line, placeText } from "../dataset/kind.ts";
import { datasetLines } from "../dataset/text.ts";
import { DataError } from "../db/error.ts";
import { removeIfUnused } from "../db/lock.ts";
import { isOlder } from "../db/migrations.ts";
import { IN_MEMORY, open } from "../db/open.ts";
import {
  type ImportCounts,
  importLines,
  isUntouched,
  type Notes,
  type Trial,
  tryLines,
} from "../transfer/import.ts";
import { dumpLines, type LeftOut } from "../unleash/from-dump.ts";
import { type Context, command, JSON_OPTION, onStop } from "./command.ts";
import { closing } from "./data-file.ts";
import { counted, endProgress, printCounts, progressOn, total } from "./output.ts";
import { useConfiguredKey } from "./secrets.ts";

const OPTIONS = {
  "from-unleash": {
    help: "the file is what pg_dump wrote of an Unleash's database, plain or packed by gzip",
  },
  replace: { help: "replace everything in the data file by what is imported" },
  "dry-run": { help: "only print what would be added, what is wrong, and what the API would reject" },
  ...JSON_OPTION,
} as const;

type ImportContext = Context<typeof OPTIONS>;

export const importCommand = command({
  name: "import",
  summary: "Add a dataset, or an Unleash, to the data file, all or nothing, even while a server is using it",
  usage: "FILE|-",
  example: "import backup.jsonl --data flags.db",
  settings: ["data", "secret-key-file", "log-format", "log-level", "quiet"],
  options: OPTIONS,
  run(context) {
    v8.setFlagsFromString("--optimize-for-size"); // collects earlier: takes a sixth longer, in half the memory
    const source = sourceOf(context);
    return context.options["dry-run"] ? dryRun(context, source) : importFrom(context, source);
  },
});

/** What is imported. */
interface Source {
  name: string;
  lines: AsyncIterable<Line[]>;
  /** What of a dump doesn't come along, once all of it has been read; undefined for a dataset. */
  leftOut?: LeftOut[];
  onProgress: (lines: number) => void;
}

function sourceOf(context: ImportContext): Source {
  const [name = "-"] = context.args;
  const chunks = openSource(context, name);
  const onProgress = stopOnSignal(context, chunks);
  if (!context.options["from-unleash"]) return { name, lines: datasetLines(chunks), onProgress };
  const leftOut: LeftOut[] = [];
  return { name, lines: dumpLines(chunks, (all) => leftOut.push(...all)), leftOut, onProgress };
}

async function importFrom(context: ImportContext, source: Source) {
  const { config } = context;
  const isNew = !fs.existsSync(config.data);
  const warnings = new Map<string, number>();
  const store = async () => {
    using db = closing(open(config.data));
    useConfiguredKey(config, db);
    return await importLines(db, source.lines, {
      onProgress: source.onProgress,
      onWarning: (_, warning) => tally(warnings, warning),
      replaces: context.options.replace ?? false,
    });
  };
  try {
    report(context, source, await store(), warnings);
  } catch (error) {
    if (isNew) removeIfUnused(config.data, isUntouched);
    throw error;
  }
}

export function openSource({ world }: Context, source: string): Readable {
  if (source === "-") return world.stdin as Readable;
  const found = fs.statSync(source, { throwIfNoEntry: false });
  if (!found) throw new DataError(`There is no file ${source}`);
  if (found.isDirectory()) throw new DataError(`${source} is a folder: name a file, or - for standard input`);
  const chunks = found.isFIFO()
    ? openPipe(source)
    : fs.createReadStream(source, { highWaterMark: 128 * 1024 });
  // The reader gets the error. If the data file fails first, nobody is reading, and the error must not end the process.
  return chunks.on("error", () => {});
}

/** Opens a named pipe, such as `<(…)`, as a socket: reading it as a file would block and ignore all signals. */
const openPipe = (source: string) =>
  new Socket({ fd: fs.openSync(source, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK), writable: false });

/** Shows progress, and stops reading when the process is asked to stop, unless it has read everything by then. */
function stopOnSignal(context: Context, chunks: Readable) {
  let stopped: Error | undefined;
  onStop(context.world, (signal) => {
    stopped = new Error(`Stopped by ${signal}: nothing was imported`);
    chunks.destroy(stopped);
  });
  const show = progressOn(context);
  return (lines: number) => {
    if (stopped) throw stopped;
    show(lines);
  };
}

/** The name of the user running the command. */
function operator() {
  try {
    return os.userInfo().username;
  } catch {
    return "an unnamed user";
  }
}

function report(context: ImportContext, { name, leftOut }: Source, counts: ImportCounts, warnings: Warnings) {
  const { config, log, options, print } = context;
  endProgress(context);
  const message = `imported ${counted(total(counts), "line")}`;
  log({ level: "info", message, source: name, data: config.data, by: operator() });
  if (warnings.size > 0) log({ level: "warn", message: toSentence(warnings) });
  if (options.json) return print(JSON.stringify(leftOut ? { counts, leftOut } : counts));
  printCounts(print, counts);
  printLeftOut(print, leftOut);
}

function printLeftOut(print: Context["print"], leftOut: readonly LeftOut[] = []) {
  if (leftOut.length > 0) print("not taken:");
  for (const { table, rows, reason } of leftOut) print(`${String(rows).padStart(9)} ${table}: ${reason}`);
}

/** How often each warning was given. */
type Warnings = Map<string, number>;

const OTHERS = "others";

/** Only the first warnings are counted each. */
function tally(warnings: Warnings, warning: string) {
  const key = warnings.has(warning) || warnings.size < 20 ? warning : OTHERS;
  warnings.set(key, (warnings.get(key) ?? 0) + 1);
}

function toSentence(warnings: Warnings) {
  const counts = [...warnings].map(([warning, count]) =>
    count === 1 ? warning : `${warning} (${count} times)`,
  );
  const count = [...warnings.values()].reduce((sum, one) => sum + one, 0);
  return `the API would reject ${counted(count, "value")} in it: ${counts.join("; ")}; import --dry-run into a new file lists their lines`;
}

/**
 * Prints what an import would store and the problems with the dataset, without changing or creating anything.
 * @throws DataError if there are problems, after printing all of them
 */
async function dryRun(context: ImportContext, { lines, leftOut, onProgress }: Source) {
  using db = closing(openForTrial(context.config.data));
  const replaces = context.options.replace ?? false;
  reportTrial(context, await tryLines(db, lines, { onProgress, replaces }), "import", leftOut);
}

/** Prints what a command would store. @throws DataError if there are problems, after printing all of them */
export function reportTrial(
  context: Context<typeof JSON_OPTION>,
  trial: Trial,
  command: string,
  leftOut?: LeftOut[],
) {
  endProgress(context);
  if (context.options.json) context.print(JSON.stringify({ ...trial, leftOut }));
  else show(context, trial, leftOut);
  const { count } = trial.problems;
  if (count > 0) throw new DataError(`${counted(count, "problem")}: ${command} would store nothing`);
  const message = `no problems: ${command} would store ${counted(total(trial.counts), "line")}`;
  context.log({ level: "info", message });
}

/** A missing or empty file is treated as a new one. */
export function openForTrial(data: string) {
  const found = fs.statSync(data, { throwIfNoEntry: false });
  const hasFolder = fs.existsSync(path.dirname(path.resolve(data)));
  if (hasFolder && (!found || found.size === 0)) return open(IN_MEMORY);
  if (found?.isFile() && isOlder(data))
    throw new DataError(
      `${data} is from an older version, and opening it would upgrade it: copy it, and try with --data COPY`,
    );
  return open(data, { mustExist: true });
}

/** Prints counts to stdout; problems and warnings to stderr. */
function show(
  { print, world: { stderr } }: Context,
  { counts, problems, warnings }: Trial,
  leftOut: readonly LeftOut[] | undefined,
) {
  printCounts(print, counts);
  printLeftOut(print, leftOut);
  const printNotes = ({ count, first }: Notes, prefix: string) => {
    for (const { message, ...place } of first) stderr.write(`${placeText(place)}: ${prefix}${message}\n`);
    if (count > first.length) stderr.write(`… and ${count - first.length} more\n`);
  };
  printNotes(warnings, "the API would reject it: ");
  printNotes(problems, "");
}
