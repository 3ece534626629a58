import * as v from "valibot";
import { Flag, kind, Name, Real } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { command, fromStored, query, type Stored, toStored, valueQuery } from "../db/statement.ts";
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
  requiredApprovals: v.optional(v.number()), // only if there are any
});
export type Environment = v.InferOutput<typeof Environment>;

/** Between 1 and 10; 0 counts as none. */
const Approvals = v.nullish(
  v.pipe(
    v.number(),
    v.integer("must be a whole number"),
    v.minValue(0, "must be 0 or more"),
    v.maxValue(10, "must be 10 or less"),
    v.transform((approvals) => approvals || null),
  ),
  null,
);

/** As it is read; in projects that get it, so many must approve a change there. */
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
  requiredApprovals: Approvals,
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
  requiredApprovals: v.optional(Approvals),
});

/** Sort orders by environment name. */
export const EnvironmentOrder = dictionary(SortOrder);

const COLUMNS = `environments.name, environments.type, environments.sort_order AS sortOrder, environments.enabled,
  environments.protected, environments.ask_before_change AS askBeforeChange,
  environments.required_approvals AS requiredApprovals`;

/** A row, with what an answer leaves out. */
export type EnvironmentRow<E = Environment> = Stored<Required<Omit<E, "requiredApprovals">>> & {
  requiredApprovals: number | null;
};

const byName = query<{ name: string }, EnvironmentRow>(`
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

const counted = query<{ hidden: string }, EnvironmentRow<CountedEnvironment>>(`
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
    .map((row) => asRead(toEnvironment(row)));

type ProjectRow = EnvironmentRow<Omit<ProjectEnvironment, "defaultStrategy">> & {
  defaultStrategy: string | null;
};

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
      ...asRead(toEnvironment(row)),
      ...(defaultStrategy !== null && { defaultStrategy: new RawJson(defaultStrategy) }),
    }));

const restored = fromStored(Environment);

function toEnvironment<R extends EnvironmentRow>(row: R) {
  const { askBeforeChange, requiredApprovals, ...environment } = restored(row);
  return {
    ...environment,
    ...(askBeforeChange && { askBeforeChange }),
    ...(requiredApprovals !== null && { requiredApprovals }),
  };
}

/** Where the later original's key is always there. */
export const asRead = <E extends object>(environment: E) => ({
  requiredApprovals: null as number | null,
  ...environment,
});

const presets = valueQuery<{ name: string }, number | null>(
  `SELECT required_approvals FROM environments WHERE name = :name`,
);

/** How many must approve a change to the environment in projects that get it; null for none. */
export const presetApprovals = (db: Database, name: string): number | null =>
  presets(db).get({ name }) ?? null;

const insertEnvironment = command<EnvironmentRow>(`
  INSERT INTO environments (name, type, sort_order, enabled, protected, ask_before_change, required_approvals)
  VALUES (:name, :type, :sortOrder, :enabled, :protected, :askBeforeChange, :requiredApprovals)`);

/** Adds an environment, not yet part of any project; an SQLite constraint error if the name is taken. */
export function addEnvironment(tx: Tx, environment: NewEnvironment): Environment {
  const { name } = environment;
  insertEnvironment(tx).run(toStored({ ...environment, protected: false }));
  const data = requireEnvironment(tx.db, name);
  tx.record({ type: "environment-created", environment: name, data });
  return data;
}

const update = command<Omit<EnvironmentRow, "protected">>(`
  UPDATE environments SET type = :type, sort_order = :sortOrder, enabled = :enabled,
    ask_before_change = :askBeforeChange, required_approvals = :requiredApprovals
  WHERE name = :name`);

/** Changes columns of an environment, if there is one with this name. */
export function changeEnvironment(tx: Tx, name: string, change: Partial<EnvironmentRow>) {
  const row = byName(tx.db).get({ name });
  if (row) update(tx).run({ ...row, ...change });
}

const all = query<object, EnvironmentRow>(`SELECT ${COLUMNS} FROM environments ORDER BY name`);

export const environment = kind({
  name: "environment",
  schema: v.strictObject({
    name: PathName,
    type: Name,
    sortOrder: v.optional(Real, 9999),
    enabled: Flag(true),
    protected: Flag(false),
    askBeforeChange: Flag(false),
    requiredApprovals: Approvals,
  }),
  insert: ({ tx }, line) => insertEnvironment(tx).run(toStored(line)),
  rows: (db) => all(db).iterate({}),
});
