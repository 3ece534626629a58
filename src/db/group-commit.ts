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
  /** Set once the commit has been started, or is next. */
  isDue: boolean;
  /** Starts the commit if nothing urgent does before. */
  timer?: NodeJS.Timeout;
}

/** How long a change that can wait is delayed at most, in milliseconds. */
const MAX_WAIT_MS = 40;

/** The group that more changes can still join. */
const waiting = perDatabase((): { group?: Group | undefined } => ({}));

/**
 * Commits a change together with concurrent ones.
 * @param canWait whether it may wait a moment for others, since nobody waits for it
 * @returns what the body returned, once it is on disk
 * @throws what the body threw, in which case nothing is stored
 */
export const inGroup = <T>(db: Database, body: (writing: Writing) => T, canWait = false): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const job: Job = { run: body, done: (result) => resolve(result as T), failed: reject };
    const next = waiting(db);
    next.group ??= { jobs: [], isDue: false };
    const { group } = next;
    group.jobs.push(job);
    if (group.isDue) return;
    if (canWait) {
      group.timer ??= setTimeout(commitGroup, MAX_WAIT_MS, db, group);
    } else {
      group.isDue = true;
      setImmediate(commitGroup, db, group);
    }
  });

/** The interval between attempts to begin, in milliseconds. */
const RETRY_MS = 10;

/** @param deadline when to give up waiting for another process to release the file */
function commitGroup(db: Database, group: Group, deadline = performance.now() + BUSY_TIMEOUT_MS) {
  clearTimeout(group.timer);
  group.isDue = true;
  // The file may be closed before bookkeeping, such as last-seen times, is written.
  const error = db.open ? tryBegin(db) : new Error("The data file is closed");
  if (isSqlite(error, "SQLITE_BUSY") && performance.now() < deadline)
    return void setTimeout(commitGroup, RETRY_MS, db, group, deadline);
  if (waiting(db).group === group) waiting(db).group = undefined;
  if (error !== undefined) return failAll(group.jobs, error);
  for (const jobs of attempt(db, group.jobs)) setImmediate(commitGroup, db, { jobs, isDue: true }, deadline);
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
 * Runs jobs in the open transaction, and commits it. A job has no savepoint: at each, FTS5 would flush its index.
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
  bump(db, new Set(finished.flatMap(({ writing }) => [...writing.written])));
  for (const { job, writing, result } of finished) {
    for (const act of writing.afterCommit) act();
    job.done(result);
  }
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

function failAll(jobs: readonly Job[], error: unknown) {
  for (const job of jobs) job.failed(error);
}

/** If the disk is full, SQLite has already rolled back. */
function rollback(db: Database) {
  if (db.inTransaction) db.exec("ROLLBACK");
}
