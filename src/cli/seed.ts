import fs from "node:fs";
import { DatasetError } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { DataError, reasonOf } from "../db/error.ts";
import { isKnown } from "../db/known.ts";
import { close, IN_MEMORY, open } from "../db/open.ts";
import type { Log } from "../lib/logger.ts";
import { UsageError } from "../lib/usage-error.ts";
import { countedEnvironments } from "../projects/environments.ts";
import { isUntouched, replaceFlags } from "../transfer/import.ts";
import { loadSeed } from "../transfer/seed.ts";
import { closing } from "./data-file.ts";

export const SEED_OPTION = {
  seed: {
    hint: "FILE",
    help: "the initial flags: a dataset, flags as SDKs read them, a map of names to true or false, or a project as for apply",
  },
} as const;

export const ENVIRONMENT_OPTION = {
  environment: { hint: "NAME", help: "the flags' environment (development)" },
} as const;

/**
 * Opens a database filled from a seed, in memory or in a file. A file that already has content is left alone.
 * @param environments that flags which name none are to be in, besides a new file's own
 * @throws DataError naming the seed
 */
export async function openSeeded(
  seed: string | undefined,
  file = IN_MEMORY,
  environments: readonly string[] = [],
): Promise<Database> {
  const bytes = seed === undefined ? undefined : readSeed(seed);
  const db = open(file);
  try {
    if (bytes && isUntouched(db)) await loadSeed(db, bytes, environments);
    return db;
  } catch (error) {
    close(db);
    if (!(error instanceof DatasetError || error instanceof DataError)) throw error;
    throw new DataError(`${seed}: ${error.message}`, { cause: error });
  }
}

function readSeed(seed: string): Buffer {
  try {
    return fs.readFileSync(seed);
  } catch (error) {
    throw new DataError(`${seed} can't be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** Replaces the flags when the seed changes. Problems with the seed are logged, and the flags kept as they are. */
export function reloadOnChange(db: Database, seed: string, log: Log, environments: readonly string[] = []) {
  const reload = async () => {
    using changed = closing(await openSeeded(seed, IN_MEMORY, environments));
    replaceFlags(db, changed);
    log({ level: "info", message: `reloaded the flags from ${seed}` });
  };
  let running = Promise.resolve();
  const stop = watchSeed(seed, () => {
    running = running.then(reload).catch(({ message }) => log({ level: "warn", message }));
  });
  return () => {
    stop();
    return running;
  };
}

/** How often to check the seed, in milliseconds: editors replace files, which not every system reports. */
const INTERVAL_MS = 200;

/** Calls back whenever the seed differs from what it was at this call. @returns a function that stops it */
export function watchSeed(seed: string, onChange: () => void): () => void {
  let seen = versionOf(seed);
  const timer = setInterval(() => {
    const version = versionOf(seed);
    if (version !== seen) onChange();
    seen = version;
  }, INTERVAL_MS);
  return () => clearInterval(timer);
}

/** Different once a file was written or replaced; undefined while there is none. */
function versionOf(file: string) {
  const found = fs.statSync(file, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.size} ${found.mtimeMs}`;
}

export const DEFAULT_ENVIRONMENT = "development";

/** The given environment, or else `development`, or else the first. @throws UsageError if it doesn't exist */
export function requireEnvironment(db: Database, requested: string | undefined): string {
  const names = countedEnvironments(db, []).map(({ name }) => name);
  if (requested === undefined)
    return names.includes(DEFAULT_ENVIRONMENT) ? DEFAULT_ENVIRONMENT : (names[0] ?? "");
  if (isKnown(db, "environment", requested)) return requested;
  throw new UsageError(`--environment: ${requested} must be one of ${names.join(", ")}`);
}
