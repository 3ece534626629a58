import fs from "node:fs";
import { requireIntact, toSingleFile } from "./backup.ts";
import { connect } from "./connect.ts";
import { DamagedError, DataError, explainError, explainTargetError, isSqlite, locked } from "./error.ts";
import { withExclusiveAccess } from "./exclusive.ts";
import { readHeader } from "./header.ts";
import { BEFORE_RESTORE, isNew } from "./leftovers.ts";
import { lockForServing } from "./lock.ts";
import { APPLICATION_ID } from "./migrations.ts";
import { close, open } from "./open.ts";
import { requireFolder, SIDECARS, stagedFile, syncFolder } from "./staged-file.ts";

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
