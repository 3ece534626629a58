import { isSqlite } from "./error.ts";
import { BUSY_TIMEOUT_MS } from "./open.ts";
import { bump } from "./revision.ts";
import type { Database } from "./statement.ts";
import { beginWriting, finishWriting, type Writing } from "./transaction.ts";

/*
 * Changes that come at once are committed together and share one wait for the disk, which takes most of their time.
 * While the disk is waited for others come in, and they are the next group.
 */

/** A change that is to be committed. */
interface Job {
  /** Everything that it changes is within this project; undefined where it may not be. */
  project: string | undefined;
  /** May be run again, when a commit that it was to share is given up. */
  run(writing: Writing): unknown;
  done(result: unknown): void;
  failed(error: unknown): void;
}

interface Group {
  jobs: Job[];
  /** When another process has to have let go of the file. */
  deadline: number;
}

/** How often that is tried, in milliseconds. */
const RETRY_MS = 10;

const groups = new WeakMap<Database, Group>();

/**
 * Commits a change together with those that come at the same time.
 * @param project where everything that is changed belongs to one
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
  const error = tryBegin(db);
  if (isSqlite(error, "SQLITE_BUSY") && performance.now() < group.deadline)
    return void setTimeout(commitGroup, RETRY_MS, db, group);
  if (groups.get(db) === group) groups.delete(db);
  if (error !== undefined) return failAll(group.jobs, error);
  for (const jobs of attempt(db, group.jobs)) setImmediate(commitGroup, db, { ...group, jobs });
}

/** @returns SQLite's error if it can't be begun at once: SQLite itself would wait, and hold up reads */
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
 * Runs jobs in the transaction that has begun, and commits it.
 * @returns those that have to be run again, since one spoiled it for all: those before it, which spoil nothing, and
 *   those behind it, so that none is run more than twice
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

/** A job that is done but for the commit. */
interface Made {
  job: Job;
  writing: Writing;
  result: unknown;
}

/** @returns the error of a job that failed after it had written, which only a rollback takes back */
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

/** SQLite has done so itself where the disk is full. */
function rollback(db: Database) {
  if (db.inTransaction) db.exec("ROLLBACK");
}
