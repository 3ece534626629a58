import fs from "node:fs";
import path from "node:path";
import { DataError } from "../db/error.ts";
import { isOlder } from "../db/migrations.ts";
import { close, IN_MEMORY, open } from "../db/open.ts";
import { type Notes, type Trial, tryDataset } from "../transfer/trial.ts";
import type { Context } from "./command.ts";
import { printCounts, total } from "./counts.ts";
import { counted } from "./plural.ts";
import { endProgress } from "./progress.ts";

/**
 * Says what an import would store and what is wrong with the dataset; changes and leaves nothing.
 * @throws DataError if anything is wrong, after all has been said.
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
  requireNothingWrong(trial.problems.count);
  const message = `nothing is wrong: import would store ${counted(total(trial.counts), "line")}`;
  context.log({ level: "info", message });
}

/** A file that is not there yet, or is empty, would be a new one. */
function openForTrial(data: string) {
  const found = fs.statSync(data, { throwIfNoEntry: false });
  const hasFolder = fs.existsSync(path.dirname(path.resolve(data)));
  if (hasFolder && (!found || found.size === 0)) return open(IN_MEMORY);
  if (found?.isFile() && isOlder(data))
    throw new DataError(
      `${data} is of an older version, which opening it would change: copy it, and try with --data COPY`,
    );
  return open(data, { mustExist: true });
}

/** What would come on stdout; what is wrong, and what the API would refuse, on stderr. */
function show({ print, world: { stderr } }: Context, { counts, problems, warnings }: Trial) {
  printCounts(print, counts);
  const tell = ({ count, first }: Notes, what: string) => {
    for (const { line, message } of first) stderr.write(`line ${line}: ${what}${message}\n`);
    if (count > first.length) stderr.write(`… and ${count - first.length} more\n`);
  };
  tell(warnings, "the API would refuse it: ");
  tell(problems, "");
}

function requireNothingWrong(count: number) {
  if (count === 0) return;
  throw new DataError(
    `${counted(count, "thing")} ${count === 1 ? "is" : "are"} wrong: import would store nothing`,
  );
}
