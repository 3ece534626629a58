import fs from "node:fs";
import path from "node:path";
import { DataError } from "../db/error.ts";
import { isOlder } from "../db/migrations.ts";
import { close, IN_MEMORY, open } from "../db/open.ts";
import { type Notes, type Trial, tryDataset } from "../transfer/import.ts";
import type { Context } from "./command.ts";
import { printCounts, total } from "./counts.ts";
import { counted } from "./plural.ts";
import { endProgress } from "./progress.ts";

/**
 * Prints what an import would store and the problems with the dataset, without changing or creating anything.
 * @throws DataError if there are problems, after printing all of them
 */
export async function dryRun(
  context: Context,
  chunks: AsyncIterable<Buffer>,
  onProgress: (lines: number) => void,
): Promise<void> {
  const db = openForTrial(context.config.data);
  let trial: Trial;
  try {
    trial = await tryDataset(db, chunks, onProgress);
  } finally {
    close(db);
  }
  endProgress(context);
  if (context.options.json) context.print(JSON.stringify(trial));
  else show(context, trial);
  requireNoProblems(trial.problems.count);
  const message = `no problems: import would store ${counted(total(trial.counts), "line")}`;
  context.log({ level: "info", message });
}

/** A missing or empty file is treated as a new one. */
function openForTrial(data: string) {
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
function show({ print, world: { stderr } }: Context, { counts, problems, warnings }: Trial) {
  printCounts(print, counts);
  const printNotes = ({ count, first }: Notes, prefix: string) => {
    for (const { line, message } of first) stderr.write(`line ${line}: ${prefix}${message}\n`);
    if (count > first.length) stderr.write(`… and ${count - first.length} more\n`);
  };
  printNotes(warnings, "the API would reject it: ");
  printNotes(problems, "");
}

function requireNoProblems(count: number) {
  if (count === 0) return;
  throw new DataError(`${counted(count, "problem")}: import would store nothing`);
}
