import schema from "../../schema.sql";
import { fold } from "../lib/text.ts";
import { readHeader } from "./connect.ts";
import type { Database } from "./database.ts";
import { DataError, explainError } from "./error.ts";
import { requireNotServed } from "./lock.ts";
import { reshape } from "./reshape.ts";
import { keepHistory } from "./row-versions.ts";
import { stagedFile } from "./staged-file.ts";

/** What files are brought to. */
interface Target {
  /** A script that makes a new file. */
  schema: string;
  /**
   * What `schema` can't say about the rows of older files, often nothing: step `n` (from 0) is for those of version `n + 1`
   * and before. It runs on the new schema; a table that was replaced is still there as `old_NAME`.
   */
  steps: readonly string[];
}

const CURRENT: Target = {
  schema,
  steps: [
    "",
    // The permissions of built-in roles are defined in src/access/permissions.ts. Flags that are already past their lifetime
    // cause no event.
    `DELETE FROM role_permissions WHERE role_id <= 5;
    UPDATE features SET potentially_stale = 1
    WHERE created_at < (SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now', -lifetime_days || ' days')
      FROM feature_types WHERE id = type);
    INSERT INTO tags (type, value) SELECT DISTINCT type, value FROM feature_tags;
    INSERT INTO strategy_context_fields (context_field, strategy)
    SELECT DISTINCT value ->> 'contextName', strategies.id FROM strategies, json_each(strategies.constraints);`,
    // The log knows who edited an integration last, unless a dataset brought it.
    `UPDATE integrations SET edited_by_user_id = (
      SELECT wire ->> 'createdByUserId' FROM events
      WHERE type IN ('addon-config-created', 'addon-config-updated') AND wire ->> '$.data.id' = integrations.id
      ORDER BY events.id DESC LIMIT 1);`,
    `UPDATE features SET folded = fold(name) || 'a' || fold(ifnull(description, '')),
      seen_at = (SELECT max(last_seen_at) FROM feature_environments WHERE feature = name);
    INSERT INTO event_searches (event_searches, rank) VALUES ('automerge', 0), ('crisismerge', 64);`,
    "",
    // Whoever signs in elsewhere, unless the log knows who created them here.
    `UPDATE users SET made_by = (
      SELECT iif(min(issuer) = 'proxy', 'proxy', 'oidc') FROM identities WHERE user_id = users.id)
    WHERE id IN (SELECT user_id FROM identities) AND NOT EXISTS (
      SELECT 1 FROM events WHERE type = 'user-created' AND wire ->> '$.data.id' = users.id
      AND wire ->> 'createdBy' <> 'unleash_system_user');`,
  ],
};

const versionOf = ({ steps }: Target) => steps.length + 1;

/** The schema version that this program reads and writes, kept in SQLite's `user_version`. */
export const SCHEMA_VERSION = versionOf(CURRENT);

/** SQLite's `application_id` of our files: "FLAG" in ASCII. */
export const APPLICATION_ID = 0x464c4147;

/** Whether opening the file would migrate it, judging by its header only. */
export function isOlder(file: string): boolean {
  const { applicationId, userVersion } = readHeader(file);
  return applicationId === APPLICATION_ID && userVersion < SCHEMA_VERSION;
}

const version = (db: Database) => db.pragma("user_version", { simple: true }) as number;

/**
 * Migrates the database to the current version, or initializes an empty one, in one transaction, so that after a failure
 * the version that wrote the file can still use it. An older file is first copied to `FILE.before-schema-N`.
 * @throws DataError if the file is being served, or can't be migrated.
 */
export function migrate(db: Database, target = CURRENT) {
  const from = version(db);
  const latest = versionOf(target);
  if (from >= latest) return;
  const needsCopy = from > 0 && !db.memory && !isStaged(db.name);
  const copy = needsCopy ? copyOldFile(db, latest) : undefined;
  db.function("fold", fold);
  const checksReferences = db.pragma("foreign_keys", { simple: true });
  db.pragma("foreign_keys = OFF"); // or replacing a table would delete the rows that refer to its own
  try {
    db.transaction(() => bring(db, target)).immediate();
  } catch (error) {
    if (copy === undefined || explainError(error, db.name) !== error) throw error;
    throw new DataError(
      `${db.name} can't be upgraded from schema ${from} to ${latest} and is unchanged: use the previous version, ` +
        `and report this (a copy is in ${copy})`,
      { cause: error },
    );
  } finally {
    db.pragma(`foreign_keys = ${checksReferences}`);
  }
}

function bring(db: Database, target: Target) {
  const from = version(db);
  if (from >= versionOf(target)) return; // another process did it first
  if (from === 0) {
    db.exec(target.schema);
    db.pragma(`application_id = ${APPLICATION_ID}`);
  } else reshape(db, target.schema, () => target.steps.slice(from - 1).map((step) => db.exec(step)));
  if (target === CURRENT) keepHistory(db);
  db.pragma(`user_version = ${versionOf(target)}`);
}

/** A backup being restored (named so by `stagedFile`) is already a copy. */
const isStaged = (file: string) => file.endsWith(".unfinished");

function copyOldFile(db: Database, latest: number) {
  requireNotServed(db.name);
  const file = `${db.name}.before-schema-${latest}`;
  using copy = stagedFile(file);
  db.prepare("VACUUM INTO ?").run(copy.path);
  copy.commit({ mayReplace: true });
  return file;
}
