import Sqlite from "better-sqlite3";

/** The file can't be used; the message is a sentence that tells a person what to do. Exit code 3. */
export class DataError extends Error {}

/** The open file, or its write-ahead log, is no longer the one at its path. */
export class MovedError extends DataError {
  constructor(file: string) {
    const message =
      "The data file, or the -wal file next to it, was moved, replaced or removed while it was open: start the server again";
    super(message, { cause: file });
  }
}

export class DamagedError extends DataError {}

export const damaged = (file: string) =>
  new DamagedError(`${file} is damaged: restore a backup, or name another file with --data`);

export const locked = (file: string) =>
  new DataError(`${file} is locked by another process: wait for it to finish, then try again`);

/** Whether it is an SQLite error whose code begins with one of these, such as `SQLITE_BUSY`. */
export const isSqlite = (error: unknown, ...codes: string[]): error is Error & { code: string } =>
  error instanceof Sqlite.SqliteError && codes.some((code) => error.code.startsWith(code));

/** What SQLite's error codes mean to an operator, by prefix. */
const WORDS: ReadonlyArray<[code: string, error: (file: string) => DataError]> = [
  ["SQLITE_NOTADB", (file) => new DataError(`${file} is not a database: name another file with --data`)],
  ["SQLITE_CORRUPT", damaged],
  [
    "SQLITE_CANTOPEN",
    (file) => new DataError(`${file} can't be opened: check that you can read and write it and its folder`),
  ],
  [
    "SQLITE_READONLY",
    (file) => new DataError(`${file} is read-only: give write permission, or name another file with --data`),
  ],
  ["SQLITE_BUSY", locked],
  ["SQLITE_FULL", (file) => new DataError(`${file} can't be written: the disk is full`)],
  ["SQLITE_IOERR", (file) => new DataError(`${file} can't be read or written: the disk is full or failing`)],
];

const SYSTEM: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EROFS: "the disk is read-only",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOENT: "there is no such file or folder",
  ENOTDIR: "there is no such folder",
  EISDIR: "it is a folder",
};

/** What a system error means; its code for one without words. */
export const reasonOf = (error: unknown) => {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return SYSTEM[code] ?? (code || message);
};

/** Explains a system error about a file being created; returns any other error unchanged. */
export function explainTargetError(error: unknown, target: string): unknown {
  const reason = SYSTEM[(error as NodeJS.ErrnoException).code ?? ""];
  return reason === undefined ? error : new Error(`${target} can't be written: ${reason}`);
}

/** Explains SQLite's or the system's error about a file; returns any other error unchanged. */
export function explainError(error: unknown, file: string): unknown {
  const { code = "", path = file, dest = path } = error as NodeJS.ErrnoException & { dest?: string };
  if (code in SYSTEM) return new DataError(`${dest} can't be used: ${SYSTEM[code]}`);
  return WORDS.find(([code]) => isSqlite(error, code))?.[1](file) ?? error;
}
