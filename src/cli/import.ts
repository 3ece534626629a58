import fs from "node:fs";
import os from "node:os";
import type { Readable } from "node:stream";
import { type ImportCounts, importDataset } from "../dataset/import.ts";
import { DataError } from "../db/error.ts";
import { removeIfUnused } from "../db/lock.ts";
import { close, open } from "../db/open.ts";
import { type Command, type Context, JSON_OPTION, onStop } from "./command.ts";
import { plural } from "./plural.ts";

export const importCommand: Command = {
  name: "import",
  summary: "Add a dataset to the data file, all of it or nothing, also while it is served",
  usage: "FILE|-",
  args: [1, 1],
  example: "import backup.jsonl --data flags.db",
  settings: ["data", "log-format", "log-level", "quiet"],
  options: JSON_OPTION,
  async run(context) {
    const [source = "-"] = context.args;
    const { data } = context.config;
    const chunks = openSource(context, source);
    let stopped: Error | undefined;
    onStop(context.world, (signal) => {
      stopped = new Error(`Stopped by ${signal}: nothing was imported`);
      chunks.destroy(stopped);
    });
    const show = progressOn(context);
    const onProgress = (lines: number) => {
      if (stopped) throw stopped; // all may have been read by then
      show(lines);
    };
    const isNew = !fs.existsSync(data);
    const db = open(data);
    try {
      const counts = await importDataset(db, chunks, onProgress);
      close(db);
      report(context, source, counts);
    } catch (error) {
      close(db);
      if (isNew) removeIfUnused(data);
      throw error;
    }
  },
};

function openSource({ world }: Context, source: string): Readable {
  if (source === "-") return world.stdin as Readable;
  const found = fs.statSync(source, { throwIfNoEntry: false });
  if (!found) throw new DataError(`There is no file ${source}`);
  if (found.isDirectory()) throw new DataError(`${source} is a folder: name a file, or - for standard input`);
  return fs.createReadStream(source, { highWaterMark: 1024 * 1024 });
}

/** Lines read so far, on a terminal, some times a second. */
function progressOn({ world: { stderr }, config }: Context) {
  if (!stderr.isTTY || config.quiet) return () => {};
  let shownAt = 0;
  return (lines: number) => {
    if (Date.now() - shownAt < 200) return;
    shownAt = Date.now();
    stderr.write(`\r${lines.toLocaleString("en")} ${plural(lines, "line")} read`);
  };
}

/** Who runs the command; a number where the system knows no name for it. */
function operator() {
  try {
    return os.userInfo().username;
  } catch {
    return "an unnamed user";
  }
}

function report(
  { world: { stderr }, config, log, options, print }: Context,
  source: string,
  counts: ImportCounts,
) {
  if (stderr.isTTY && !config.quiet) stderr.write("\r\u001b[K");
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  log({
    level: "info",
    message: `imported ${total} ${plural(total, "line")}`,
    source,
    data: config.data,
    by: operator(),
  });
  if (options.json) return print(JSON.stringify(counts));
  for (const [kind, count] of Object.entries(counts)) print(`${String(count).padStart(9)} ${kind}`);
}
