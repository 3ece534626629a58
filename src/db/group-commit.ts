import { type Database, perDatabase } from "./database.ts";
import { isSqlite } from "./error.ts";
import { BUSY_TIMEOUT_MS } from "./open.ts";
import { bump } from "./revision.ts";
import { beginWriting, finishWriting, type Writing } from "./transaction.ts";

/*
 * Concurrent changes are committed together and share one wait for the disk, which takes most of their time. Those that
 * arrive during the wait form the next group.
 */

/** A change waiting to be committed. */
interface Job {
  /** May run again if the commit it was to share is abandoned. */
  run(writing: Writing): unknown;
  done(result: unknown): void;
  failed(error: unknown): void;
}

interface Group {
  jobs: Job[];
  /** When to give up waiting for another process to release the file. */
  deadline: number;
}

/** The interval between attempts, in milliseconds. */
const RETRY_MS = 10;

/** The group that more changes can still join. */
const waiting = perDatabase((): { group?: Group | undefined } => ({}));

/**
 * Commits a change together with concurrent ones.
 * @returns what the body returned, once it is on disk
 * @throws what the body threw, in which case nothing is stored
 */
export const inGroup = <T>(db: Database, body: (writing: Writing) => T): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const job: Job = { run: body, done: (result) => resolve(result as T), failed: reject };
    const next = waiting(db);
    if (next.group) return void next.group.jobs.push(job);
    next.group = { jobs: [job], deadline: performance.now() + BUSY_TIMEOUT_MS };
    setImmediate(commitGroup, db, next.group);
  });

function commitGroup(db: Database, group: Group) {
  // The file may be closed before bookkeeping, such as last-seen times, is written.
  if (!db.open) return failAll(group.jobs, new Error("The data file is closed"));
  const error = tryBegin(db);
  if (isSqlite(error, "SQLITE_BUSY") && performance.now() < group.deadline)
    return void setTimeout(commitGroup, RETRY_MS, db, group);
  if (waiting(db).group === group) waiting(db).group = undefined;
  if (error !== undefined) return failAll(group.jobs, error);
  for (const jobs of attempt(db, group.jobs)) setImmediate(commitGroup, db, { ...group, jobs });
}

/** @returns SQLite's error if it can't begin at once: waiting inside SQLite would block the event loop */
function tryBegin(db: Database): unknown {
  try {
    db.exec("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE");
    return undefined;
  } catch (error) {
    return error;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`); // `pragma` would prepare a statement each time
  }
}

/**
 * Runs jobs in the open transaction, and commits it.
 * @returns the jobs to run again if one forced a rollback: first those before it, which are known to succeed, then those
 *   after it, so that none runs more than twice
 */
function attempt(db: Database, jobs: readonly Job[]): Job[][] {
  const finished: Finished[] = [];
  try {
    for (const [index, job] of jobs.entries()) {
      const failure = runJob(db, job, finished);
      if (failure === undefined) continue;
      rollback(db);
      job.failed(failure.error);
      return [jobs.slice(0, index), jobs.slice(index + 1)].filter((left) => left.length > 0);
    }
    for (const { writing } of finished) finishWriting(writing);
    db.exec("COMMIT");
  } catch (error) {
    rollback(db);
    failAll(jobs, error);
    return [];
  }
  for (const one of finished) complete(one);
  return [];
}

/** A job that is done except for the commit. */
interface Finished {
  job: Job;
  writing: Writing;
  result: unknown;
}

/** @returns the error of a job that failed after it had written, which only a rollback can undo */
function runJob(db: Database, job: Job, finished: Finished[]): { error: unknown } | undefined {
  const writing = beginWriting(db);
  try {
    finished.push({ job, writing, result: job.run(writing) });
  } catch (error) {
    if (writing.written.size > 0) return { error };
    job.failed(error);
  }
  return undefined;
}

function complete({ job, writing: { db, written, afterCommit }, result }: Finished) {
  bump(db, written);
  for (const act of afterCommit) act();
  job.done(result);
}

function failAll(jobs: readonly Job[], error: unknown) {
  for (const job of jobs) job.failed(error);
}

/** If the disk is full, SQLite has already rolled back. */
function rollback(db: Database) {
  if (db.inTransaction) db.exec("ROLLBACK");
}
