import { type Database, query } from "../../db/statement.ts";
import { RawJson, type Wire } from "../../lib/raw-json.ts";
import type { CountedEnvironment, Environment, ProjectEnvironment } from "./schema.ts";

/** The booleans as SQLite stores them. */
type Bits = Record<"enabled" | "protected", 0 | 1>;
type Row<T> = Omit<T, keyof Bits> & Bits;

const COLUMNS = `environments.name, environments.type, environments.sort_order AS sortOrder, environments.enabled,
  environments.protected`;

const byName = query<{ name: string }, Row<Environment>>(`
  SELECT ${COLUMNS} FROM environments WHERE name = :name`);

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

const ofProject = query<{ project: string }, string>(`
  SELECT environment FROM project_environments WHERE project = :project`);

// Live projects only: archived ones may be left without any.
const onlyEnvironmentOf = query<{ environment: string }, string>(`
  SELECT id FROM projects
  WHERE archived_at IS NULL
    AND (SELECT json_group_array(environment) FROM project_environments WHERE project = id) =
      json_array(:environment)
  LIMIT 1`);

const tokensFor = query<{ environment: string }, number>(`
  SELECT id FROM tokens WHERE environment = :environment ORDER BY id`);

/** The environment with this name; undefined if there is none. */
export function environmentNamed(db: Database, name: string): Environment | undefined {
  const row = byName(db).get({ name });
  return row && toEnvironment(row);
}

/** All environments in order; hidden projects and what belongs to them are not counted. */
export const countedEnvironments = (db: Database, hidden: readonly string[]): CountedEnvironment[] =>
  counted(db)
    .all({ hidden: JSON.stringify(hidden) })
    .map(toEnvironment);

/** All environments in order, as they are for a project, whether it has them or not (original). */
export const environmentsFor = (db: Database, project: string): Wire<ProjectEnvironment>[] =>
  forProject(db)
    .all({ project })
    .map(({ defaultStrategy, ...row }) => ({
      ...toEnvironment(row),
      ...(defaultStrategy !== null && { defaultStrategy: new RawJson(defaultStrategy) }),
    }));

/** The names of a project's environments. */
export const environmentsOfProject = (db: Database, project: string): string[] =>
  ofProject(db).pluck().all({ project });

/** A live project that has only this environment. */
export const projectWithOnly = (db: Database, environment: string): string | undefined =>
  onlyEnvironmentOf(db).pluck().get({ environment });

/** The ids of an environment's tokens. */
export const tokensOf = (db: Database, environment: string): number[] =>
  tokensFor(db).pluck().all({ environment });

const countFlags = query<{ environment: string }, number>(`
  SELECT count(*) FROM feature_environments WHERE environment = :environment`);

/** The number of flags with a state in an environment. */
export const flagsIn = (db: Database, environment: string): number =>
  countFlags(db).pluck().get({ environment })!;

const toEnvironment = <R extends Bits>(row: R): Omit<R, keyof Bits> & Record<keyof Bits, boolean> => ({
  ...row,
  enabled: row.enabled === 1,
  protected: row.protected === 1,
});
