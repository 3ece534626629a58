import * as v from "valibot";
import {
  Id,
  kind,
  LineError,
  Name,
  nameWarnings,
  OptionalText,
  OptionalTime,
  optional,
} from "../dataset/kind.ts";
import { isKnown } from "../db/known.ts";
import { command, query, toStored } from "../db/statement.ts";
import { DefaultStrategy } from "../evaluation/strategy.ts";
import { PathName } from "../lib/validation.ts";
import { isUsableTemplate, MODES, NewFeatureNaming } from "./projects-schema.ts";
import { insertFavorite, insertProject, insertProjectEnvironment } from "./projects-store.ts";

const Project = v.strictObject({
  id: PathName,
  name: Name,
  description: OptionalText,
  mode: v.optional(v.picklist(MODES), "open"),
  defaultStickiness: v.optional(Name, "default"),
  createdAt: OptionalTime,
  archivedAt: OptionalTime,
  updatedAt: OptionalTime,
  featureLimit: optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 52))),
  featureNaming: optional(
    v.strictObject({ ...NewFeatureNaming.entries, pattern: optional(NewFeatureNaming.entries.pattern) }),
  ),
  linkTemplates: v.optional(v.array(v.strictObject({ title: OptionalText, urlTemplate: Name })), []),
  environments: v.array(Name),
  defaultStrategies: v.optional(
    v.array(v.strictObject({ environment: Name, strategy: DefaultStrategy })),
    [],
  ),
  requiredApprovals: v.optional(
    v.array(
      v.strictObject({
        environment: Name,
        approvals: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10)),
      }),
    ),
    [],
  ),
  favoritedBy: v.optional(v.array(Id), []),
});

const all = query<object, object>(`
  SELECT id, name, description, mode, default_stickiness AS defaultStickiness, created_at AS createdAt,
    archived_at AS archivedAt, updated_at AS updatedAt, feature_limit AS featureLimit,
    iif(feature_naming <> '{}', json_patch('{}', feature_naming), NULL) AS featureNaming, -- without nulls
    (SELECT nullif(json_group_array(json_patch('{}', value)), '[]') FROM json_each(link_templates)) AS linkTemplates,
    (SELECT json_group_array(environment ORDER BY environment) FROM project_environments
      WHERE project = projects.id) AS environments,
    (SELECT nullif(json_group_array(json_object('environment', environment, 'strategy', json(default_strategy))
        ORDER BY environment), '[]')
      FROM project_environments WHERE project = projects.id AND default_strategy IS NOT NULL) AS defaultStrategies,
    (SELECT nullif(json_group_array(json_object('environment', environment, 'approvals', required_approvals)
        ORDER BY environment), '[]')
      FROM project_environments WHERE project = projects.id AND required_approvals IS NOT NULL) AS requiredApprovals,
    (SELECT json_group_array(user_id ORDER BY user_id) FROM project_favorites
      WHERE project = projects.id) AS favoritedBy
  FROM projects ORDER BY id`);

const deleted = query<object, { id: string }>(`SELECT id FROM deleted_private_projects ORDER BY id`);

const insertDeleted = command<{ id: string }>(`INSERT INTO deleted_private_projects (id) VALUES (:id)`);

export const deletedPrivateProject = kind({
  name: "deletedPrivateProject",
  schema: v.strictObject({ id: PathName }),
  insert({ tx, db }, line) {
    if (isKnown(db, "project", line.id)) throw new LineError("id: is that of a project");
    insertDeleted(tx).run(line);
  },
  rows: (db) => deleted(db).iterate({}),
});

export const project = kind({
  name: "project",
  schema: Project,
  refers: { environments: "environment", favoritedBy: "user" },
  insert({ tx, db, now }, { environments, defaultStrategies, requiredApprovals, favoritedBy, ...row }) {
    if (isKnown(db, "deletedPrivateProject", row.id))
      throw new LineError("id: is that of a deleted private project");
    requireOwnEnvironments(environments, { defaultStrategies, requiredApprovals });
    const { featureNaming, createdAt } = row;
    insertProject(tx).run(
      toStored({ ...row, featureNaming: featureNaming ?? {}, createdAt: createdAt ?? now }),
    );
    for (const environment of environments) {
      const own = defaultStrategies.findLast((one) => one.environment === environment);
      const defaultStrategy = own ? JSON.stringify(own.strategy) : null;
      const { approvals = null } = requiredApprovals.findLast((one) => one.environment === environment) ?? {};
      insertProjectEnvironment(tx).run({
        project: row.id,
        environment,
        defaultStrategy,
        requiredApprovals: approvals,
      });
    }
    for (const userId of favoritedBy) insertFavorite(tx).run({ project: row.id, userId });
  },
  rows: (db) => all(db).iterate({}),
  *warnings(_, { id, linkTemplates }) {
    yield* nameWarnings("id", id);
    for (const [index, { urlTemplate }] of linkTemplates.entries())
      if (!isUsableTemplate(urlTemplate))
        yield `linkTemplates.${index}.urlTemplate: gives no web address, so flags don't get it`;
  },
});

/** What is said of an environment that the project lacks would be lost. */
function requireOwnEnvironments(
  environments: string[],
  lists: Record<string, ReadonlyArray<{ environment: string }>>,
) {
  for (const [key, list] of Object.entries(lists)) {
    const index = list.findIndex(({ environment }) => !environments.includes(environment));
    if (index >= 0)
      throw new LineError(`${key}.${index}.environment: is not one of the project's environments`);
  }
}
