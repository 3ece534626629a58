import * as v from "valibot";
import { Flag, kind, Name, Real } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { command, fromStored, query, type Stored, toStored } from "../db/statement.ts";
import { DefaultStrategy } from "../evaluation/strategy.ts";
import type { Tx } from "../events/write.ts";
import { ApiError, found } from "../lib/api-error.ts";
import { RawJson, type Wire } from "../lib/raw-json.ts";
import { dictionary, NonEmptyText, PathName, UrlName } from "../lib/validation.ts";

/**
 * Each flag has its own state in every environment; a protected one can't be deleted. Whether people are asked before
 * they change a flag there is up to what they use: the API makes any change.
 */
export const Environment = v.strictObject({
  name: v.string(),
  type: v.string(),
  sortOrder: v.number(),
  enabled: v.boolean(),
  protected: v.boolean(),
  askBeforeChange: v.optional(v.boolean()), // only if it is true: the original describes no such key
});
export type Environment = v.InferOutput<typeof Environment>;

/** As it is read. A later original says how many must approve a change there; here nobody must. */
export const ReadEnvironment = v.strictObject({
  ...Environment.entries,
  requiredApprovals: v.nullable(v.number()),
});

/** With the number of visible projects that have it, of its tokens, and of live flags that are on in it. */
export const CountedEnvironment = v.strictObject({
  ...ReadEnvironment.entries,
  projectCount: v.number(),
  apiTokenCount: v.number(),
  enabledToggleCount: v.number(),
});
export type CountedEnvironment = v.InferOutput<typeof CountedEnvironment>;

export const Environments = v.strictObject({
  version: v.literal(1),
  environments: v.array(CountedEnvironment),
});

/** The same for one project; with a default strategy only if the project has set one. */
export const ProjectEnvironment = v.strictObject({
  ...ReadEnvironment.entries,
  projectApiTokenCount: v.number(),
  projectEnabledToggleCount: v.number(),
  defaultStrategy: v.optional(DefaultStrategy),
});
export type ProjectEnvironment = v.InferOutput<typeof ProjectEnvironment>;

export const ProjectEnvironments = v.strictObject({
  version: v.literal(1),
  environments: v.array(ProjectEnvironment),
});

const SortOrder = v.pipe(v.number(), v.safeInteger());
export const NewEnvironment = v.object({
  name: UrlName,
  type: NonEmptyText,
  enabled: v.optional(v.boolean(), true),
  sortOrder: v.optional(SortOrder, 9999),
  askBeforeChange: v.optional(v.boolean(), false),
});
export type NewEnvironment = v.InferOutput<typeof NewEnvironment>;
export const EnvironmentName = v.pick(NewEnvironment, ["name"]);

/** The body that clones an environment; all its projects if none are given, and its type. */
export const EnvironmentClone = v.object({
  name: UrlName,
  type: v.optional(NonEmptyText),
  projects: v.optional(v.array(v.string())),
  clonePermissions: v.optional(v.boolean(), true),
});

/** A change to an environment; properties that are left out stay as they are. */
export const UpdateEnvironment = v.object({
  type: v.optional(NonEmptyText),
  sortOrder: v.optional(SortOrder),
  askBeforeChange: v.optional(v.boolean()),
});

/** Sort orders by environment name. */
export const EnvironmentOrder = dictionary(SortOrder);

const COLUMNS = `environments.name, environments.type, environments.sort_order AS sortOrder, environments.enabled,
  environments.protected, environments.ask_before_change AS askBeforeChange`;

/** A row, with what an answer leaves out. */
type Row<E extends Environment = Environment> = Stored<Required<E>>;

const byName = query<{ name: string }, Row>(`
  SELECT ${COLUMNS} FROM environments WHERE name = :name`);

/** @throws ApiError `NotFoundError` unless there is an environment with this name */
export function requireEnvironment(db: Database, name: string): Environment {
  return toEnvironment(found(byName(db).get({ name }), `environment ${name}`));
}

/** @throws ApiError `NameExistsError` if there is an environment with this name */
export function requireFreeName(db: Database, name: string) {
  if (isKnown(db, "environment", name))
    throw new ApiError("NameExistsError", `body.name: there is already an environment ${name}`);
}

const counted = query<{ hidden: string }, Row<CountedEnvironment>>(`
  SELECT ${COLUMNS}, NULL AS requiredApprovals,
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
  SELECT ${COLUMNS}, NULL AS requiredApprovals,
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

const restored = fromStored(Environment);

function toEnvironment<R extends Row>(row: R) {
  const { askBeforeChange, ...environment } = restored(row);
  return { ...environment, ...(askBeforeChange && { askBeforeChange }) };
}

const insertEnvironment = command<Row>(`
  INSERT INTO environments (name, type, sort_order, enabled, protected, ask_before_change)
  VALUES (:name, :type, :sortOrder, :enabled, :protected, :askBeforeChange)`);

/** Adds an environment, not yet part of any project; an SQLite constraint error if the name is taken. */
export function addEnvironment(tx: Tx, environment: NewEnvironment): Environment {
  const { name } = environment;
  insertEnvironment(tx).run(toStored({ ...environment, protected: false }));
  const data = requireEnvironment(tx.db, name);
  tx.record({ type: "environment-created", environment: name, data });
  return data;
}

const all = query<object, Row>(`SELECT ${COLUMNS} FROM environments ORDER BY name`);

export const environment = kind({
  name: "environment",
  schema: v.strictObject({
    name: PathName,
    type: Name,
    sortOrder: v.optional(Real, 9999),
    enabled: Flag(true),
    protected: Flag(false),
    askBeforeChange: Flag(false),
  }),
  insert: ({ tx }, line) => insertEnvironment(tx).run(toStored(line)),
  rows: (db) => all(db).iterate({}),
});
