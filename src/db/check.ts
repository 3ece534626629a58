import fs from "node:fs";
import { connect } from "./connect.ts";
import { inWords } from "./error.ts";
import { APPLICATION_ID, VERSION } from "./migrations.ts";
import { type Database, prepareAll } from "./statement.ts";

/** One thing that was looked at. */
export interface Finding {
  name: string;
  /** What is wrong and what to do about it; undefined where all is well. */
  problem: string | undefined;
}

const BACKUP = "damaged: restore a backup, or export what can be read and import it into a new file";

/** What can be wrong with a file, in the order of looking; a query that gives a row has found something. */
const CHECKS: ReadonlyArray<[name: string, find: (db: Database) => unknown, advice: string]> = [
  [
    "kind of file",
    (db) => Number(pragma(db, "application_id")) !== APPLICATION_ID,
    "it is not a data file of Flagstone: name another file",
  ],
  [
    "version",
    (db) => Number(pragma(db, "user_version")) !== VERSION,
    "it is another than this program's: an older one is brought up to date by serving it; for a newer one get the newer program",
  ],
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

/** Looks at a file without changing it, also while it is served; stops at the first thing that is wrong. */
export function checkFile(file: string): Finding[] {
  const findings: Finding[] = [];
  if (!fs.existsSync(file)) return [{ name: "file", problem: `there is no file ${file}` }];
  let db: Database | undefined;
  try {
    // Where there is a log, one that may only read leaves it as it is; else it would leave two files behind.
    db = connect(file, { fileMustExist: true, readonly: fs.existsSync(`${file}-wal`) });
    db.pragma("query_only = ON");
    for (const [name, find, advice] of CHECKS) {
      const isWrong = Boolean(find(db));
      findings.push({ name, problem: isWrong ? advice : undefined });
      if (isWrong) break;
    }
  } catch (error) {
    const problem = (inWords(error, file) as Error).message;
    findings.push({ name: CHECKS[findings.length]![0], problem });
  } finally {
    db?.close();
  }
  return findings;
}

const pragma = (db: Database, name: string) => db.pragma(name, { simple: true });
