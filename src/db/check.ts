import fs from "node:fs";
import { connect, requireReadable } from "./connect.ts";
import type { Database } from "./database.ts";
import { explainError, isSqlite } from "./error.ts";
import { APPLICATION_ID, SCHEMA_VERSION } from "./migrations.ts";
import { hasKeyOf, PREFIX, useKeyFile } from "./secrets.ts";
import { readersOf } from "./staged-file.ts";
import { prepareAll } from "./statement.ts";

export interface Finding {
  name: string;
  /** What is wrong and how to fix it; undefined if all is well. */
  problem: string | undefined;
  /** What needs attention although the file is intact. */
  warning?: string | undefined;
}

/** A name, a query that returns a row or true if something is wrong, and advice for that case. */
type Check = readonly [name: string, find: (db: Database) => unknown, advice: string];

const BACKUP = "damaged: restore a backup, or export what can be read and import it into a new file";

/** Checks that must pass before the others mean anything. */
const BASICS: readonly Check[] = [
  [
    "content",
    (db) => db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined && id(db) === 0,
    "it is empty, left by an interrupted first start: serve it, or import into it",
  ],
  ["kind of file", (db) => id(db) !== APPLICATION_ID, "it is not a Flagstone data file: name another file"],
  [
    "version",
    (db) => Number(pragma(db, "user_version")) !== SCHEMA_VERSION,
    "it differs from this program's: serving an older file upgrades it; a newer file needs the newer program",
  ],
];

const CONTENT: readonly Check[] = [
  ["pages", (db) => pragma(db, "integrity_check(1)") !== "ok", BACKUP],
  ["references", (db) => db.prepare("PRAGMA foreign_key_check").get(), BACKUP],
  ["tables", (db) => prepareAll(db), BACKUP],
  [
    "search index",
    (db) =>
      db
        .prepare(
          "SELECT 1 FROM events LEFT JOIN event_searches_content AS search USING (id) WHERE search.id IS NULL",
        )
        .get(),
    BACKUP,
  ],
  [
    "totals",
    (db) =>
      db
        .prepare(`SELECT ifnull(project, ''), type, count(*) FROM events GROUP BY 1, 2
          EXCEPT SELECT project, type, count FROM event_totals`)
        .get(),
    BACKUP,
  ],
];

interface Stuck {
  id: number;
  provider: string;
  waiting: number;
  failures: number | null;
  since: string;
  reason: string;
}

const STUCK = `
  SELECT integrations.id, provider, failures, since, reason,
    (SELECT count(*) FROM deliveries WHERE integration_id = integrations.id) AS waiting
  FROM integrations LEFT JOIN integration_troubles ON integration_id = integrations.id
  WHERE enabled AND NOT paused AND (failures IS NOT NULL OR EXISTS (
    SELECT 1 FROM deliveries
    WHERE integration_id = integrations.id AND due_at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 hour')))
  ORDER BY integrations.id`;

/**
 * Checks a file without changing it, even while a server is using it, and returns all findings; for a file that is
 * not this program's, only those up to that one.
 */
export function checkFile(file: string, keyFile = ""): Finding[] {
  const found = fs.statSync(file, { throwIfNoEntry: false });
  if (!found) return [{ name: "file", problem: `there is no file ${file}` }];
  if (found.isDirectory()) return [{ name: "file", problem: `${file} is a folder: name a file with --data` }];
  let db: Database | undefined;
  try {
    requireReadable(file);
    // If there is a WAL, a read-only connection leaves it alone; if not, it would leave two files behind.
    db = connect(file, { fileMustExist: true, readonly: fs.existsSync(`${file}-wal`) });
    db.pragma("query_only = ON");
    if (keyFile !== "") useKeyFile(db, keyFile);
    return runChecks(db, file);
  } catch (error) {
    return [{ name: "file", problem: problemOf(error, file) }];
  } finally {
    db?.close();
  }
}

function runChecks(db: Database, file: string) {
  const findings: Finding[] = [];
  for (const check of BASICS) {
    const finding = runCheck(db, file, check);
    findings.push(finding);
    if (finding.problem !== undefined) return findings;
  }
  findings.push(...CONTENT.map((check) => runCheck(db, file, check)));
  const readers = { name: "readers", problem: undefined, warning: readersOf(file) };
  const isIntact = findings.every(({ problem }) => problem === undefined);
  return isIntact ? [...findings, readers, checkSecrets(db), checkDeliveries(db)] : findings;
}

function runCheck(db: Database, file: string, [name, find, advice]: Check): Finding {
  try {
    return { name, problem: find(db) ? advice : undefined };
  } catch (error) {
    return { name, problem: problemOf(error, file) };
  }
}

const ENCRYPTED = `
  SELECT secret FROM tokens WHERE secret IS NOT NULL
  UNION ALL SELECT secret FROM second_factors
  UNION ALL SELECT content ->> 'secret' FROM settings WHERE content ->> 'secret' <> ''
  UNION ALL SELECT value FROM integrations, json_each(parameters) WHERE value GLOB '${PREFIX}*'`;

function checkSecrets(db: Database): Finding {
  const lost = db
    .prepare<[], string>(ENCRYPTED)
    .pluck()
    .all()
    .filter((stored) => !hasKeyOf(db, stored));
  const warning = `the key of some of them is missing (${lost.length}): restore the key file, or set them again`;
  return { name: "secrets", problem: undefined, warning: lost.length === 0 ? undefined : warning };
}

function checkDeliveries(db: Database): Finding {
  const stuck = db.prepare<[], Stuck>(STUCK).all();
  return { name: "deliveries", problem: undefined, warning: stuck.map(toWarning).join("; ") || undefined };
}

function toWarning({ id, provider, waiting, failures, since, reason }: Stuck) {
  const which = `integration ${id} (${provider})`;
  const queue = `events waiting: ${waiting}`;
  if (failures === null)
    return `${which} has delivered nothing for an hour (${queue}): serve the file, or see the server's log`;
  return `${which} has been failing since ${since} (failures in a row: ${failures}, ${queue}): ${reason.split("\n")[0]}`;
}

/** If SQLite rejects one of our queries, its table is missing. */
function problemOf(error: unknown, file: string) {
  const words = explainError(error, file);
  return isSqlite(words, "SQLITE_") ? BACKUP : (words as Error).message;
}

const id = (db: Database) => Number(pragma(db, "application_id"));

const pragma = (db: Database, name: string) => db.pragma(name, { simple: true });
