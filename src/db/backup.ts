import fs from "node:fs";
import { checkFile } from "./check.ts";
import { connect, readHeader } from "./connect.ts";
import type { Database } from "./database.ts";
import { DamagedError, DataError, explainError, explainTargetError, isSqlite, locked } from "./error.ts";
import { lockForServing, requireNotServed, withExclusiveAccess } from "./lock.ts";
import { APPLICATION_ID } from "./migrations.ts";
import { close, open } from "./open.ts";
import {
  BEFORE_RESTORE,
  isNew,
  requireFolder,
  requireFree,
  SIDECARS,
  stagedFile,
  syncFolder,
} from "./staged-file.ts";

const PAGES = 500;

/**
 * Copies an open database to a new file, even while others write, and checks the copy.
 * @throws DataError if the copy is incomplete; Error if the target can't be created.
 */
export async function backUp(db: Database, target: string, onProgress: (fraction: number) => void) {
  requireFree(target);
  using copy = stagedFile(target);
  try {
    await db.backup(copy.path, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress(1 - remainingPages / Math.max(totalPages, 1));
        return PAGES;
      },
    });
    toSingleFile(copy.path);
    requireIntact(copy.path);
    copy.commit();
  } catch (error) {
    throw explainError(error, target);
  }
}

/** Rewrites the file without deleted data. @returns its size before and after, in bytes. */
export function compact(file: string): { before: number; after: number } {
  requireNotServed(file);
  const db = open(file, { mustExist: true });
  const before = fs.statSync(file).size;
  try {
    db.exec("INSERT INTO event_searches (event_searches) VALUES ('optimize')");
    db.exec("VACUUM");
  } finally {
    close(db);
  }
  return { before, after: fs.statSync(file).size };
}

/** A copy is in WAL mode like its original, and opening it would create two more files. */
export function toSingleFile(file: string) {
  const db = connect(file);
  db.pragma("journal_mode = DELETE");
  db.close();
}

/** @throws DataError saying what is wrong with the copy. */
function requireIntact(file: string) {
  const failed = checkFile(file).find(({ problem }) => problem !== undefined);
  if (failed) throw new DataError(`The copy is damaged: ${failed.name}: ${failed.problem}`);
}

/**
 * Replaces the data file with a backup, while no server can open it; the old file is kept next to it.
 * @returns the names under which it is kept; none if there was no file.
 * @throws DataError if the data file is in use, or the backup is damaged or not one; nothing is changed then.
 */
export function restore(backup: string, data: string, at: { now: Date; pid: number }): string[] {
  const unlock = fs.existsSync(data) ? lockForServing(data, at.pid) : () => {};
  try {
    return replace(fs.existsSync(data) ? fs.realpathSync(data) : data, backup, at.now);
  } finally {
    unlock();
  }
}

function replace(file: string, backup: string, now: Date): string[] {
  requireBackup(backup, file);
  requireFolder(file);
  using copy = stagedFile(file);
  const owner = fs.statSync(isNew(file) ? copy.path : file);
  try {
    copyBackup(copy.path, backup);
  } catch (error) {
    throw withoutCopy(error, { copy: copy.path, backup, file });
  }
  setOwner(copy.path, owner);
  return moveIntoPlace(copy, file, now);
}

/** The temporary copy means nothing to the user: the error is about the backup, or about where the copy is created. */
function withoutCopy(error: unknown, { copy, backup, file }: Record<"copy" | "backup" | "file", string>) {
  if (error instanceof DamagedError) return new DataError(`${backup} is damaged: restore another backup`);
  if (error instanceof DataError) return new DataError(error.message.replaceAll(copy, backup));
  return explainTargetError(error, file);
}

function requireBackup(backup: string, file: string) {
  if (!fs.existsSync(backup)) throw new DataError(`There is no file ${backup}`);
  if (!fs.statSync(backup).isFile()) throw new DataError(`${backup} is not a file`);
  try {
    fs.accessSync(backup, fs.constants.R_OK);
  } catch {
    throw new DataError(`${backup} can't be read: permission denied`);
  }
  if (fs.realpathSync(backup) === file)
    throw new DataError(`${backup} is the data file itself: name a backup of it`);
}

/** Only the copy is migrated; the backup stays as it is. */
function copyBackup(copy: string, backup: string) {
  fs.copyFileSync(backup, copy);
  if (fs.existsSync(`${backup}-wal`)) fs.copyFileSync(`${backup}-wal`, `${copy}-wal`);
  requireOurs(copy, backup);
  close(open(copy, { mustExist: true }));
  toSingleFile(copy);
  requireIntact(copy);
}

/** An empty file would count as a new one. */
function requireOurs(copy: string, backup: string) {
  const db = connect(copy);
  try {
    if (db.pragma("application_id", { simple: true }) === APPLICATION_ID) return;
  } catch (error) {
    if (!isSqlite(error, "SQLITE_NOTADB")) throw explainError(error, copy);
  } finally {
    db.close();
  }
  throw new DataError(`${backup} is not a Flagstone backup`);
}

/** Gives the copy the old file's owner and permissions, not those of the backup. */
function setOwner(copy: string, { mode, uid, gid }: fs.Stats) {
  fs.chmodSync(copy, mode & 0o777);
  if (uid !== fs.statSync(copy).uid) fs.chownSync(copy, uid, gid);
}

/*
 * Wherever it is interrupted, there is a data file if there was one before, it is entirely the old one or entirely the
 * new one, and no WAL is next to a file it doesn't belong to: SQLite would apply it and bring old rows back. So the
 * order is:
 *   1. The old WAL is checkpointed, and no other process can use the old file until everything is done.
 *   2. The old file gets a second name.
 *   3. If the WAL can't be checkpointed (the file is damaged or gone), it moves to that name and is synced to disk:
 *      otherwise a power cut could undo this step and keep the next one.
 *   4. The new file, which has no WAL, takes the name (`commit`).
 * If it stops before that, the copy remains as `.unfinished`; the next restore removes it.
 */
function moveIntoPlace(copy: ReturnType<typeof stagedFile>, file: string, now: Date): string[] {
  let kept: string[] | undefined;
  const replace = () => {
    const exists = fs.existsSync(file);
    kept = setAside(file, now);
    copy.commit({ mayReplace: exists });
  };
  try {
    if (isNew(file) || !readHeader(file).isDatabase) replace();
    else if (!withExclusiveAccess(file, replace)) throw locked(file);
  } catch (error) {
    if (kept !== undefined || !isSqlite(error, "SQLITE_")) throw error;
    replace(); // it can't be read, so it is kept as it is
  }
  return kept!;
}

/** @returns the names under which it is kept */
function setAside(file: string, now: Date): string[] {
  const aside = `${file}${BEFORE_RESTORE}${now.toISOString().replaceAll(/[:.]/g, "-")}`;
  const sidecars = SIDECARS.filter((suffix) => fs.existsSync(file + suffix));
  if (!isNew(file)) addName(file, aside);
  for (const suffix of sidecars) fs.renameSync(file + suffix, aside + suffix);
  syncFolder(file);
  return ["", ...sidecars].map((suffix) => aside + suffix).filter((name) => fs.existsSync(name));
}

/** Some file systems don't support hard links. */
function addName(file: string, name: string) {
  try {
    fs.linkSync(file, name);
  } catch {
    using copy = stagedFile(name);
    fs.copyFileSync(file, copy.path);
    setOwner(copy.path, fs.statSync(file));
    copy.commit();
  }
}
