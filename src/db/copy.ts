import fs from "node:fs";
import path from "node:path";
import { checkFile } from "./check.ts";
import { connect } from "./connect.ts";
import { DataError, inWords } from "./error.ts";
import { requireNotServed } from "./lock.ts";
import { APPLICATION_ID } from "./migrations.ts";
import { BESIDE, newFile } from "./new-file.ts";
import { close, open } from "./open.ts";
import type { Database } from "./statement.ts";

/** Pages that are copied before others get their turn. */
const PAGES = 500;

/**
 * Copies an open database to a new file, also while others write, and checks the copy.
 * @throws DataError if there is something at the target, or the copy is not whole.
 */
export async function backUp(db: Database, target: string, onProgress: (part: number) => void) {
  if (fs.existsSync(target)) throw new DataError(`${target} exists already: name a new file`);
  const folder = path.dirname(path.resolve(target));
  if (!fs.existsSync(folder)) throw new DataError(`There is no folder ${folder}: make it, or name another`);
  using copy = newFile(target);
  try {
    await db.backup(copy.path, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress(1 - remainingPages / Math.max(totalPages, 1));
        return PAGES;
      },
    });
    singleFile(copy.path);
    requireWhole(copy.path);
    copy.finish();
  } catch (error) {
    throw inWords(error, target);
  }
}

/**
 * Puts a backup in the place of the data file, which is kept beside it.
 * @returns where the old file is now; undefined if there was none.
 * @throws DataError if the data file is served, or the backup is none or not whole; nothing is changed then.
 */
export function restore(backup: string, data: string, now: Date): string | undefined {
  requireNotServed(data);
  const file = fs.existsSync(data) ? fs.realpathSync(data) : data;
  if (!fs.existsSync(backup)) throw new DataError(`There is no file ${backup}`);
  if (!fs.statSync(backup).isFile()) throw new DataError(`${backup} is not a file`);
  if (fs.realpathSync(backup) === file)
    throw new DataError(`${backup} is the data file itself: name a backup of it`);
  using copy = newFile(file);
  try {
    fs.copyFileSync(backup, copy.path);
    if (fs.existsSync(`${backup}-wal`)) fs.copyFileSync(`${backup}-wal`, `${copy.path}-wal`);
    requireOurs(copy.path, backup);
    close(open(copy.path, { mustExist: true })); // the copy is brought up to date; the backup stays as it is
    singleFile(copy.path);
    requireWhole(copy.path);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    throw new DataError(error.message.replaceAll(copy.path, backup)); // the copy is nobody's concern
  }
  keepOwner(copy.path, fs.statSync(file, { throwIfNoEntry: false }));
  const aside = fs.existsSync(file) ? setAside(file, now) : undefined;
  copy.finish();
  return aside;
}

/** Rewrites the file without what was deleted. @returns its size before and after, in bytes. */
export function compact(file: string): { before: number; after: number } {
  requireNotServed(file);
  const before = fs.statSync(file).size;
  const db = open(file, { mustExist: true });
  try {
    db.exec("INSERT INTO event_searches (event_searches) VALUES ('optimize')");
    db.exec("VACUUM");
  } finally {
    close(db);
  }
  return { before, after: fs.statSync(file).size };
}

/** The log of changes that are not in the file yet goes with it, or the next file would take it for its own. */
function setAside(file: string, now: Date) {
  const aside = `${file}.before-restore-${now.toISOString().replaceAll(/[:.]/g, "-")}`;
  for (const suffix of ["", ...BESIDE]) {
    if (fs.existsSync(file + suffix)) fs.renameSync(file + suffix, aside + suffix);
  }
  return aside;
}

/** An empty file would be taken for a new one. */
function requireOurs(copy: string, backup: string) {
  const db = connect(copy);
  try {
    if (db.pragma("application_id", { simple: true }) === APPLICATION_ID) return;
  } catch (error) {
    throw inWords(error, backup);
  } finally {
    db.close();
  }
  throw new DataError(`${backup} is no backup of Flagstone`);
}

/** Whoever could use the file before can use it afterwards; a new one is its maker's only. */
function keepOwner(copy: string, before: fs.Stats | undefined) {
  fs.chmodSync(copy, before ? before.mode & 0o777 : 0o600);
  if (before && before.uid !== process.getuid?.()) fs.chownSync(copy, before.uid, before.gid);
}

/** A copy is in write-ahead mode like its original, and would be two more files once it is looked at. */
function singleFile(file: string) {
  const db = connect(file);
  db.pragma("journal_mode = DELETE");
  db.close();
}

function requireWhole(file: string) {
  const wrong = checkFile(file).find(({ problem }) => problem !== undefined);
  if (wrong) throw new DataError(`The copy is not whole: ${wrong.name}: ${wrong.problem}`);
}
