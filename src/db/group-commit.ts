import { isSqlite } from "./error.ts";
import { BUSY_TIMEOUT_MS } from "./open.ts";
import { bump } from "./revision.ts";
import type { Database } from "./statement.ts";
import { beginWriting, finishWriting, type Writing } from "./transaction.ts";

/*
 * Concurrent changes are committed together and share one wait for the disk, which takes most of their time. Those that
 * arrive during the wait form the next group.
 */

/** A change waiting to be committed. */
interface Job {
  /** The project that all its changes belong to; undefined if they may not be confined to one. */
  project: string | undefined;
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

const groups = new WeakMap<Database, Group>();

/**
 * Commits a change together with concurrent ones.
 * @param project the project that everything changed belongs to, if it is one
 * @returns what the body returned, as soon as it is on disk
 * @throws what the body threw, with nothing of it stored
 */
export const inGroup = <T>(
  db: Database,
  project: string | undefined,
  body: (writing: Writing) => T,
): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const job: Job = { project, run: body, done: (result) => resolve(result as T), failed: reject };
    const group = groups.get(db);
    if (group) return void group.jobs.push(job);
    const begun: Group = { jobs: [job], deadline: performance.now() + BUSY_TIMEOUT_MS };
    groups.set(db, begun);
    setImmediate(commitGroup, db, begun);
  });

function commitGroup(db: Database, group: Group) {
  // Nobody waits for bookkeeping, such as last-seen times, before closing the file.
  if (!db.open) return failAll(group.jobs, new Error("The data file is closed"));
  const error = tryBegin(db);
  if (isSqlite(error, "SQLITE_BUSY") && performance.now() < group.deadline)
    return void setTimeout(commitGroup, RETRY_MS, db, group);
  if (groups.get(db) === group) groups.delete(db);
  if (error !== undefined) return failAll(group.jobs, error);
  for (const jobs of attempt(db, group.jobs)) setImmediate(commitGroup, db, { ...group, jobs });
}

/** @returns SQLite's error if it can't begin at once: SQLite's own waiting would block, and hold up reads */
function tryBegin(db: Database): unknown {
  db.pragma("busy_timeout = 0");
  try {
    db.exec("BEGIN IMMEDIATE");
    return undefined;
  } catch (error) {
    return error;
  } finally {
    db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/**
 * Runs jobs in the open transaction, and commits it.
 * @returns the jobs to run again if one spoiled the commit: first those before it, which are known to be harmless, then
 *   those after it, so that none runs more than twice
 */
function attempt(db: Database, jobs: readonly Job[]): Job[][] {
  const made: Made[] = [];
  try {
    for (const [index, job] of jobs.entries()) {
      const spoiling = runJob(db, job, made);
      if (spoiling === undefined) continue;
      rollback(db);
      job.failed(spoiling.error);
      return [jobs.slice(0, index), jobs.slice(index + 1)].filter((left) => left.length > 0);
    }
    for (const { writing } of made) finishWriting(writing);
    db.exec("COMMIT");
  } catch (error) {
    rollback(db);
    failAll(jobs, error);
    return [];
  }
  for (const one of made) tell(one);
  return [];
}

/** A job that is done except for the commit. */
interface Made {
  job: Job;
  writing: Writing;
  result: unknown;
}

/** @returns the error of a job that failed after it had written, which only a rollback can undo */
function runJob(db: Database, job: Job, made: Made[]): { error: unknown } | undefined {
  const writing = beginWriting(db);
  try {
    made.push({ job, writing, result: job.run(writing) });
  } catch (error) {
    if (writing.written.size > 0) return { error };
    job.failed(error);
  }
  return undefined;
}

function tell({ job, writing: { db, written, afterCommit }, result }: Made) {
  bump(db, written, job.project);
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
