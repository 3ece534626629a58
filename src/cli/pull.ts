import fs from "node:fs";
import type { Database } from "../db/database.ts";
import { DataError } from "../db/error.ts";
import { isKnown } from "../db/known.ts";
import { removeIfUnused } from "../db/lock.ts";
import { open } from "../db/open.ts";
import { rootOf } from "../http/other-server.ts";
import { DAY_MS } from "../lib/time.ts";
import { UsageError } from "../lib/usage-error.ts";
import { type ImportCounts, importLines, isUntouched, tryLines } from "../transfer/import.ts";
import { type Comparison, comparisons, copyFlags, pulledLines, readAll, watch } from "../unleash/pull.ts";
import { readSource } from "../unleash/pull-answers.ts";
import { wantedProjects } from "../unleash/pull-flags.ts";
import { openPull, PARALLEL, type Pull } from "../unleash/pull-source.ts";
import { type Context, command, JSON_OPTION, onStop, wholeNumber } from "./command.ts";
import { closing, dataFile } from "./data-file.ts";
import { openForTrial, reportTrial } from "./import.ts";
import { counted, endProgress, printCounts, progressTextOn } from "./output.ts";
import { useConfiguredKey } from "./secrets.ts";
import { connectionTo, SERVER_OPTIONS } from "./server-url.ts";

const OPTIONS = {
  from: { hint: "URL", help: "the server to read from: an Unleash, or another Flagstone" },
  ...SERVER_OPTIONS,
  project: { multiple: true, hint: "ID", help: "only this project; may be repeated" },
  "no-events": { help: "leave out the log" },
  parallel: { hint: "NUMBER", help: "how many requests to send at once (4)" },
  "dry-run": { help: "only print what would come, what is wrong, and what would be lost" },
  watch: { help: "then replace the flags whenever something changes there" },
  interval: { hint: "SECONDS", help: "how often to look for changes (10)" },
  ...JSON_OPTION,
} as const;

type PullContext = Context<typeof OPTIONS>;

export const pull = command({
  name: "pull",
  summary: "Copy all that another server's API tells into a new data file, all or nothing",
  example: "pull --from https://unleash.example.com --token-file token.txt --data flags.db",
  settings: ["data", "secret-key-file", "log-format", "log-level", "quiet"],
  options: OPTIONS,
  async run(context) {
    const intervalMs = 1000 * wholeNumber(context.options, "interval", { preset: 10, maximum: 86_400 });
    if (context.options.watch && context.options["dry-run"])
      throw new UsageError("--watch copies what --dry-run doesn't: use one of them");
    const stopped = new AbortController();
    const { signal } = stopped;
    onStop(context.world, (name) => stopped.abort(new Error(`Stopped by ${name}`)));
    const pull = openSource(context, signal);
    try {
      if (context.options["dry-run"]) return await dryRun(context, pull);
      using db = await copied(context, pull);
      if (!context.options.watch) return pull.answers.remove();
      await watch(db, pull, { intervalMs, signal, log: context.log });
    } catch (error) {
      throw explained(context, pull, signal.aborted ? signal.reason : error);
    }
  },
});

/** Removes what a longer text has left. */
const CLEAR_LINE = "\u001b[K";

/** Beside the data file, since what is in it has the same secrets. */
const folderOf = ({ config }: PullContext) => `${config.data}.pull`;

/** What was read may be out of date by then. */
const MAX_AGE_MS = DAY_MS;

function openSource(context: PullContext, signal: AbortSignal): Pull {
  const { log, options } = context;
  if (options.from === undefined) throw new UsageError("pull needs --from URL, the server to read from");
  const server = connectionTo(rootOf(options.from), context, signal);
  const parallel = wholeNumber(context.options, "parallel", { preset: PARALLEL, maximum: 64 });
  const folder = folderOf(context);
  requireSameSource(context, folder, server.url);
  const show = progressTextOn(context);
  const pull = openPull(folder, server, {
    projects: options.project ?? [],
    withEvents: !options["no-events"],
    onlyFlags: false,
    parallel,
    log,
    onProgress: (noun, done, total) => show(`${noun}: ${done} of ${total}${CLEAR_LINE}`),
  });
  const kept = pull.answers.count();
  if (kept > 0) log({ level: "info", message: `goes on with ${counted(kept, "answer")} in ${folder}` });
  return pull;
}

/** @throws DataError for the answers of another server */
function requireSameSource({ log, options }: PullContext, folder: string, url: string) {
  const source = readSource(folder);
  if (!source) return;
  if (source.url !== url)
    throw new DataError(
      `${folder} has what ${source.url} answered, not ${url}: remove it, or use another --data`,
    );
  if (options.watch || Date.parse(source.startedAt) > Date.now() - MAX_AGE_MS) return;
  log({
    level: "warn",
    message: `what is in ${folder} was read on ${source.startedAt}: reading all of it again`,
  });
  fs.rmSync(folder, { recursive: true });
}

/** The data file, once it has everything from the server; a new one is not created before that was read. */
async function copied(context: PullContext, pull: Pull): Promise<Database & Disposable> {
  const { data } = context.config;
  const isNew = !fs.existsSync(data);
  const isRefreshed = !isNew && (await isWatched(context, pull));
  if (!isRefreshed) await readAll(pull);
  const db = closing(open(data));
  try {
    useConfiguredKey(context.config, db);
    if (isRefreshed) await copyFlags(db, pull, context.log);
    else report(context, pull, await importLines(db, pulledLines(pull)), await comparisons(pull));
    return db;
  } catch (error) {
    db[Symbol.dispose]();
    if (isNew) removeIfUnused(data, isUntouched);
    throw error;
  }
}

/** Whether an earlier watch has filled the file; false if it is empty. @throws DataError if something else has */
async function isWatched(context: PullContext, pull: Pull): Promise<boolean> {
  using db = dataFile(context.config);
  if (isUntouched(db)) return false;
  if (context.options.watch && pull.answers.count() > 0) return true;
  return await refuseFullFile(context, pull, db);
}

/** @throws DataError naming the projects that are on both sides */
async function refuseFullFile({ config }: PullContext, pull: Pull, db: Database): Promise<never> {
  const both = (await wantedProjects(pull))
    .map(({ id }) => String(id))
    .filter((id) => isKnown(db, "project", id));
  const where = both.length > 0 ? `the project ${both.join(", ")}, as ${pull.url} has` : "other data";
  throw new DataError(`${config.data} already has ${where}: pull into a new file: --data NEW`);
}

function report(context: PullContext, pull: Pull, counts: ImportCounts, compared: readonly Comparison[]) {
  const { options, print } = context;
  logLosses(context, pull);
  if (options.json) return print(JSON.stringify({ counts, compared, losses: pull.losses }));
  printCounts(print, counts);
  print(toSentence(pull, compared));
}

function logLosses(context: PullContext, { losses }: Pull) {
  endProgress(context);
  for (const { what, count, reason } of losses)
    context.log({
      level: "info",
      message: `left out: ${count === undefined ? "" : `${count} `}${what}: ${reason}`,
    });
}

function toSentence({ url }: Pull, compared: readonly Comparison[]) {
  const differing = compared.filter(({ promised, came }) => promised !== came);
  const list = differing.map(({ noun, promised, came }) => `${noun} ${came} of ${promised}`).join(", ");
  if (compared.length === 0) return `${url} does not say how much it has`;
  return list === ""
    ? `all that ${url} says it has came: ${compared.map(({ noun, came }) => `${noun} ${came}`).join(", ")}`
    : `${url} says it has more or less than came: ${list}`;
}

/** What was read is kept, so that it need not be asked for again. */
async function dryRun(context: PullContext, pull: Pull) {
  await readAll(pull);
  using db = closing(openForTrial(context.config.data));
  const trial = await tryLines(db, pulledLines(pull));
  const compared = await comparisons(pull);
  logLosses(context, pull);
  context.log({ level: "info", message: toSentence(pull, compared) });
  context.log({
    level: "info",
    message: `what was read, with secrets, is kept in ${folderOf(context)} for the pull itself`,
  });
  reportTrial(context, trial, "pull");
}

/** An error that says that what was read is kept, unless it can't help. */
function explained(context: PullContext, { answers }: Pull, error: Error) {
  endProgress(context);
  if (answers.count() === 0 || (answers.isNew && error instanceof DataError)) answers.remove();
  else error.message += `; what was read is kept in ${folderOf(context)}: the same command goes on with it`;
  return error;
}
