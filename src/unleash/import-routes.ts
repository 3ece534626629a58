import fs from "node:fs";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import * as v from "valibot";
import { DatasetError, type Line } from "../dataset/kind.ts";
import { datasetLines } from "../dataset/text.ts";
import { type Database, perDatabase } from "../db/database.ts";
import { explainError, isSqlite } from "../db/error.ts";
import { close, IN_MEMORY, open } from "../db/open.ts";
import { useKeysOf } from "../db/secrets.ts";
import { stagedFile } from "../db/staged-file.ts";
import { JsonLines } from "../http/json-stream.ts";
import { LinesOfJson, POST } from "../http/operation.ts";
import { rootOf } from "../http/other-server.ts";
import { ApiError } from "../lib/api-error.ts";
import { NonEmptyText } from "../lib/validation.ts";
import { importLines, type Notes, type Trial, tryLines } from "../transfer/import.ts";
import { unpacked } from "./dump.ts";
import { dumpLines, type LeftOut } from "./from-dump.ts";
import { pulledLines, readAll } from "./pull.ts";
import { type Loss, openPull, type Pull } from "./pull-source.ts";

/*
 * Importing into the file of a running server. It is done by a connection of its own, as if by another process: others
 * read meanwhile, and their changes wait, for a few seconds at most. How far it is is told line by line, and leaving
 * ends it.
 */

const YesOrNo = v.optional(v.picklist(["true", "false"]), "false");

const Choice = v.object({ dryRun: YesOrNo, replace: YesOrNo });
type Choice = v.InferOutput<typeof Choice>;

const importing = {
  tag: "Instance",
  permission: "ADMIN",
  query: Choice,
  response: LinesOfJson,
  errors: ["ConflictError"],
} as const;

/** Changes the file, though in no transaction of its request. */
export const importFile = {
  ...POST({
    ...importing,
    id: "importFile",
    summary: "Import a dataset, or the dump of an Unleash's database, and tell how far it is",
    path: "/api/admin/import",
    isUpload: true,
  }).run(({ db, query, signal, upload }) =>
    alone(db, signal, async (end) => {
      const kept = stagedFile(`${db.name}.import`);
      const remove = () => kept[Symbol.dispose]();
      await pipeline(upload, fs.createWriteStream(kept.path)).catch((error) => {
        remove();
        throw error;
      });
      const run = { ...query, signal, remove, end };
      return new JsonLines(running(db, run, (leave) => fileLines(kept.path, leave)));
    }),
  ),
  changes: true,
};

const Server = v.object({
  url: NonEmptyText,
  token: NonEmptyText,
  projects: v.optional(v.array(NonEmptyText), []),
  withEvents: v.optional(v.boolean(), true),
});

export const importServer = {
  ...POST({
    ...importing,
    id: "importServer",
    summary: "Import what another server's API tells, and tell how far it is",
    path: "/api/admin/import/server",
    body: Server,
    example: { url: "https://unleash.example.com", token: "*:*.a-secret" },
  }).run(({ db, query, body, signal }) =>
    alone(db, signal, (end) => {
      const pull = pullOf(`${db.name}.pull`, body, signal);
      const prepare = () => readAll(pull);
      const remove = () => pull.answers.remove();
      const run = { ...query, signal, prepare, remove, end };
      const source: Source = (leave, onProgress) => serverLines(Object.assign(pull, { onProgress }), leave);
      return new JsonLines(running(db, run, source));
    }),
  ),
  changes: true,
};

/**
 * Starts an import, which calls `end` at its end unless it fails to start; first waits for one whose client has left.
 * @throws ApiError for a server without a file, and while another import runs
 */
async function alone<T>(
  db: Database,
  signal: AbortSignal,
  start: (end: () => void) => T | Promise<T>,
): Promise<T> {
  if (db.name === IN_MEMORY || db.name === "")
    throw new ApiError("ConflictError", "This server has no data file to import into");
  const running = runningOn(db);
  while (running.import?.signal.aborted) await running.import.ended;
  if (running.import) throw new ApiError("ConflictError", "Another import is running");
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  running.import = { signal, ended };
  const end = () => {
    running.import = undefined;
    resolve();
  };
  try {
    return await start(end);
  } catch (error) {
    end();
    throw error;
  }
}

interface Running {
  /** Aborted when the client has left. */
  signal: AbortSignal;
  ended: Promise<void>;
}

const runningOn = perDatabase((): { import: Running | undefined } => ({ import: undefined }));

/** Tells what doesn't come along. */
type Leave = (leftOut: ReadonlyArray<LeftOut | Loss>) => void;

async function* fileLines(file: string, leave: Leave): AsyncGenerator<Line[]> {
  const chunks = unpacked(fs.createReadStream(file));
  yield* (await isDataset(file)) ? datasetLines(chunks) : dumpLines(chunks, leave);
}

/** Whether the first character begins an object. */
async function isDataset(file: string) {
  for await (const chunk of unpacked(fs.createReadStream(file)))
    return /^\uFEFF?\s*\{/.test(chunk.toString("utf8", 0, 64));
  return false;
}

async function* serverLines(pull: Pull, leave: Leave): AsyncGenerator<Line[]> {
  yield* pulledLines(pull);
  leave(pull.losses);
}

function pullOf(
  folder: string,
  { url, token, projects, withEvents }: v.InferOutput<typeof Server>,
  signal: AbortSignal,
): Pull {
  fs.rmSync(folder, { recursive: true, force: true });
  const server = { url: rootOf(url), token, options: { signal } };
  return openPull(folder, server, { projects, withEvents, onlyFlags: false, log: () => {} });
}

interface Run extends Choice {
  signal: AbortSignal;
  /** What takes long and needs no file. */
  prepare?(): Promise<void>;
  /** Removes what was kept for it. */
  remove(): void;
  /** Lets the next one begin. */
  end(): void;
}

type Source = (leave: Leave, onProgress: Pull["onProgress"]) => AsyncIterable<Line[]>;

/** How often to tell how far it is, in milliseconds. */
const PROGRESS_MS = 250;

/** Begins an import. @returns how far it is, several times a second, and at last what became of it */
function running(db: Database, run: Run, source: Source): AsyncGenerator<object> {
  const progress = { told: { read: 0 } as object };
  const outcome = outcomeOf(db, run, source, (told) => (progress.told = told));
  return told(progress, outcome);
}

async function* told(progress: { told: object }, outcome: Promise<Outcome>): AsyncGenerator<object> {
  const isDone = () => Promise.race([outcome.then(() => true), setTimeout(PROGRESS_MS, false)]);
  while (!(await isDone())) yield progress.told;
  yield await outcome;
}

/** The last line of the answer. */
export interface Outcome extends Omit<Trial, "problems"> {
  /** Some concern the import as a whole, and have no place. */
  problems: { count: number; first: ReadonlyArray<Notes["first"][number] | { message: string }> };
  leftOut: ReadonlyArray<LeftOut | Loss>;
}

const NONE: Notes = { count: 0, first: [] };

async function outcomeOf(
  db: Database,
  run: Run,
  source: Source,
  tell: (progress: object) => void,
): Promise<Outcome> {
  let leftOut: Outcome["leftOut"] = [];
  let own: Database | undefined;
  const onProgress = (read: number) => {
    run.signal.throwIfAborted();
    tell({ read });
  };
  try {
    own = connectAgain(db);
    const lines = source(
      (all) => (leftOut = all),
      (noun, done, total) => tell({ noun, done, total }),
    );
    await run.prepare?.(); // before the file is locked
    const trial = await trialOf(own, lines, run, onProgress);
    return { ...trial, leftOut };
  } catch (error) {
    return { counts: {}, leftOut, warnings: NONE, problems: problemsOf(explainError(error, db.name)) };
  } finally {
    if (own) close(own);
    run.remove();
    run.end();
  }
}

/** As another process would. */
function connectAgain(db: Database): Database {
  const own = open(db.name, { mustExist: true });
  own.pragma("busy_timeout = 0"); // waiting inside SQLite would block the event loop
  useKeysOf(own, db);
  return own;
}

async function trialOf(
  own: Database,
  lines: AsyncIterable<Line[]>,
  { dryRun, replace }: Run,
  onProgress: (read: number) => void,
): Promise<Trial> {
  const options = { onProgress, replaces: replace === "true" };
  if (dryRun === "true") return await tryLines(own, lines, options);
  return { counts: await importLines(own, lines, options), problems: NONE, warnings: NONE };
}

function problemsOf(error: unknown): Outcome["problems"] {
  const message = isSqlite(error, "SQLITE") ? "The data file can't be written" : (error as Error).message;
  if (!(error instanceof DatasetError)) return { count: 1, first: [{ message }] };
  const { reasons, place } = error;
  return { count: reasons.length, first: reasons.map((message) => ({ ...place, message })) };
}
