import * as v from "valibot";
import { bit, Flag, kind, Name, Real } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { command, query, toStored } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { ApiError } from "../lib/api-error.ts";
import { RawJson, type Wire } from "../lib/raw-json.ts";
import { PathName } from "../lib/validation.ts";
import type {
  CountedEnvironment,
  Environment,
  NewEnvironment,
  ProjectEnvironment,
} from "./environments-schema.ts";

/** The booleans as SQLite stores them. */
type Bits = Record<"enabled" | "protected", 0 | 1>;
type Row<T> = Omit<T, keyof Bits> & Bits;

const COLUMNS = `environments.name, environments.type, environments.sort_order AS sortOrder, environments.enabled,
  environments.protected`;

const byName = query<{ name: string }, Row<Environment>>(`
  SELECT ${COLUMNS} FROM environments WHERE name = :name`);

/** @throws ApiError `NotFoundError` unless there is an environment with this name */
export function requireEnvironment(db: Database, name: string): Environment {
  const row = byName(db).get({ name });
  if (row) return toEnvironment(row);
  throw new ApiError("NotFoundError", `There is no environment ${name}`);
}

/** @throws ApiError `NameExistsError` if there is an environment with this name */
export function requireFreeName(db: Database, name: string) {
  if (isKnown(db, "environment", name))
    throw new ApiError("NameExistsError", `body.name: there is already an environment ${name}`);
}

const counted = query<{ hidden: string }, Row<CountedEnvironment>>(`
  SELECT ${COLUMNS},
    (SELECT count(*) FROM project_environments
      WHERE environment = environments.name AND project NOT IN (SELECT value FROM json_each(:hidden))) AS projectCount,
    (SELECT count(*) FROM tokens
      WHERE environment = environments.name AND NOT EXISTS (SELECT 1 FROM json_each(tokens.projects) AS named
        WHERE named.value IN (SELECT value FROM json_each(:hidden)))) AS apiTokenCount,
    (SELECT count(*) FROM feature_environments JOIN features ON features.name = feature
      WHERE environment = environments.name AND feature_environments.enabled AND archived_at IS NULL
        AND project NOT IN (SELECT value FROM json_each(:hidden))) AS enabledToggleCount
  FROM environments ORDER BY sort_order, name`);

/** All environments in order; hidden projects and what belongs to them are not counted. */
export const countedEnvironments = (db: Database, hidden: readonly string[]): CountedEnvironment[] =>
  counted(db)
    .all({ hidden: JSON.stringify(hidden) })
    .map(toEnvironment);

type ProjectRow = Row<Omit<ProjectEnvironment, "defaultStrategy">> & { defaultStrategy: string | null };

const forProject = query<{ project: string }, ProjectRow>(`
  SELECT ${COLUMNS},
    (SELECT count(*) FROM tokens WHERE environment = environments.name
      AND EXISTS (SELECT 1 FROM json_each(tokens.projects) AS named WHERE named.value IN ('*', :project)))
      AS projectApiTokenCount,
    (SELECT count(*) FROM features JOIN feature_environments ON feature = features.name
      WHERE project = :project AND environment = environments.name AND feature_environments.enabled
        AND archived_at IS NULL) AS projectEnabledToggleCount,
    (SELECT default_strategy FROM project_environments
      WHERE project = :project AND environment = environments.name) AS defaultStrategy
  FROM environments ORDER BY sort_order, name`);

/** All environments in order, as they are for a project, whether it has them or not (original). */
export const environmentsFor = (db: Database, project: string): Wire<ProjectEnvironment>[] =>
  forProject(db)
    .all({ project })
    .map(({ defaultStrategy, ...row }) => ({
      ...toEnvironment(row),
      ...(defaultStrategy !== null && { defaultStrategy: new RawJson(defaultStrategy) }),
    }));

const toEnvironment = <R extends Bits>(row: R): Omit<R, keyof Bits> & Record<keyof Bits, boolean> => ({
  ...row,
  enabled: row.enabled === 1,
  protected: row.protected === 1,
});

const insertEnvironment = command<Row<Environment>>(`
  INSERT INTO environments (name, type, sort_order, enabled, protected)
  VALUES (:name, :type, :sortOrder, :enabled, :protected)`);

/** Adds an environment, not yet part of any project; an SQLite constraint error if the name is taken. */
export function addEnvironment(tx: Tx, environment: NewEnvironment): Environment {
  const { name } = environment;
  insertEnvironment(tx).run({ ...environment, enabled: bit(environment.enabled), protected: 0 });
  const data = requireEnvironment(tx.db, name);
  tx.record({ type: "environment-created", environment: name, data });
  return data;
}

const all = query<object, Row<Environment>>(`SELECT ${COLUMNS} FROM environments ORDER BY name`);

export const environment = kind({
  name: "environment",
  schema: v.strictObject({
    name: PathName,
    type: Name,
    sortOrder: v.optional(Real, 9999),
    enabled: Flag(true),
    protected: Flag(false),
  }),
  insert: ({ tx }, line) => insertEnvironment(tx).run(toStored(line)),
  rows: (db) => all(db).iterate({}),
});
