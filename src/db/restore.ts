import fs from "node:fs";
import { whileAlone } from "./alone.ts";
import { requireWhole, toSingleFile } from "./backup.ts";
import { connect } from "./connect.ts";
import { DamagedError, DataError, inWords, inWordsOfTarget, isSqlite, locked } from "./error.ts";
import { readHeader } from "./header.ts";
import { BEFORE_RESTORE, isNew } from "./leftovers.ts";
import { lockForServing } from "./lock.ts";
import { APPLICATION_ID } from "./migrations.ts";
import { close, open } from "./open.ts";
import { requireFolder, SIDECARS, stagedFile, syncFolder } from "./staged-file.ts";

/**
 * Puts a backup in the place of the data file, which no server can take meanwhile; what was there is kept beside it.
 * @returns the names under which it is kept; none if nothing was there.
 * @throws DataError if the data file is in use, or the backup is none or not whole; nothing is changed then.
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
    fill(copy.path, backup);
  } catch (error) {
    throw withoutCopy(error, { copy: copy.path, backup, file });
  }
  setOwner(copy.path, owner);
  return put(copy, file, now);
}

/** The copy is nobody's concern: what is wrong is the backup, or the place that the copy is made in. */
function withoutCopy(error: unknown, { copy, backup, file }: Record<"copy" | "backup" | "file", string>) {
  if (error instanceof DamagedError) return new DataError(`${backup} is damaged: restore another backup`);
  if (error instanceof DataError) return new DataError(error.message.replaceAll(copy, backup));
  return inWordsOfTarget(error, file);
}

function requireBackup(backup: string, file: string) {
  if (!fs.existsSync(backup)) throw new DataError(`There is no file ${backup}`);
  if (!fs.statSync(backup).isFile()) throw new DataError(`${backup} is not a file`);
  try {
    fs.accessSync(backup, fs.constants.R_OK);
  } catch {
    throw new DataError(`${backup} can't be read: permission is missing`);
  }
  if (fs.realpathSync(backup) === file)
    throw new DataError(`${backup} is the data file itself: name a backup of it`);
}

/** The copy is brought up to date; the backup stays as it is. */
function fill(copy: string, backup: string) {
  fs.copyFileSync(backup, copy);
  if (fs.existsSync(`${backup}-wal`)) fs.copyFileSync(`${backup}-wal`, `${copy}-wal`);
  requireOurs(copy, backup);
  close(open(copy, { mustExist: true }));
  toSingleFile(copy);
  requireWhole(copy);
}

/** An empty file would be taken for a new one. */
function requireOurs(copy: string, backup: string) {
  const db = connect(copy);
  try {
    if (db.pragma("application_id", { simple: true }) === APPLICATION_ID) return;
  } catch (error) {
    if (!isSqlite(error, "SQLITE_NOTADB")) throw inWords(error, copy);
  } finally {
    db.close();
  }
  throw new DataError(`${backup} is no backup of Flagstone`);
}

/** Whoever could use the file before can use it afterwards; nobody else, whoever could read the backup. */
function setOwner(copy: string, { mode, uid, gid }: fs.Stats) {
  fs.chmodSync(copy, mode & 0o777);
  if (uid !== fs.statSync(copy).uid) fs.chownSync(copy, uid, gid);
}

/*
 * However far it comes, there is a data file where there was one, it is all of the old one or all of the new one, and
 * no log lies beside a file that it is not of: SQLite would take it for that file's own and bring old rows back.
 * So the order is:
 *   1. The old log is folded into the old file, and nobody else can use that file until all is done.
 *   2. The old file gets a second name.
 *   3. What can't be folded in (the file is damaged or gone) goes to that name, and the disk is waited for, or a
 *      power cut could undo this step and keep the next one.
 *   4. The new file, one without a log, takes the name (`commit`).
 * Stopped before that, the copy is left as `.unfinished`; the next restore removes it.
 */
function put(copy: ReturnType<typeof stagedFile>, file: string, now: Date): string[] {
  let kept: string[] | undefined;
  const replace = () => {
    const isThere = fs.existsSync(file);
    kept = setAside(file, now);
    copy.commit({ mayReplace: isThere });
  };
  try {
    if (isNew(file) || !readHeader(file).isDatabase) replace();
    else if (!whileAlone(file, replace)) throw locked(file);
  } catch (error) {
    if (kept !== undefined || !isSqlite(error, "SQLITE_")) throw error;
    replace(); // it can't be read, and is kept as it is
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

/** Some file systems know no second names. */
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
