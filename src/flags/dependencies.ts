import * as v from "valibot";
import type { Database } from "../db/database.ts";
import { command, fromStored, query, type Stored, toStored, valueQuery } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, GET, POST } from "../http/operation.ts";
import { ApiError, invalid } from "../lib/api-error.ts";
import { ShortText } from "../lib/validation.ts";
import type { Feature } from "./features-schema.ts";
import { findFeature, liveChildren, requireFeature, requireLiveFeature } from "./features-store.ts";

/** A dependency on a parent flag: the parent must be on, be off, or have one of the variants. */
export const NewDependency = v.object({
  feature: v.string(),
  enabled: v.optional(v.boolean(), true),
  variants: v.optional(v.array(ShortText)),
});
type NewDependency = v.InferOutput<typeof NewDependency>;

const PROJECT = "/api/admin/projects/:projectId";

const ofChild = {
  tag: "Dependencies",
  path: `${PROJECT}/features/:child/dependencies`,
  permission: { permission: "UPDATE_FEATURE_DEPENDENCY", project: "projectId" },
} as const;

export const addDependencyOperation = POST({
  ...ofChild,
  id: "addFeatureDependency",
  summary: "Make a flag depend on another one, instead of any before",
  body: NewDependency,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: ["feature-dependency-added"],
  example: { feature: "base-flag" },
}).change(({ tx, params: { projectId, child }, body }) => {
  const feature = requireLiveFeature(tx.db, projectId, child);
  requireDependency(tx.db, feature, body);
  removeAll(tx).run({ feature: child });
  addDependency(tx, feature, body);
});

export const removeDependency = DELETE({
  ...ofChild,
  id: "deleteFeatureDependency",
  summary: "Remove a flag's dependency on another one",
  path: `${ofChild.path}/:parent`,
  errors: ["NotFoundError"],
  records: ["feature-dependency-removed"],
}).change(({ tx, params: { projectId, child, parent } }) => {
  const { name: featureName, project } = requireFeature(tx.db, projectId, child);
  remove(tx).run({ feature: featureName, parent });
  // Even if it didn't depend on it (original).
  tx.record({ type: "feature-dependency-removed", project, featureName, data: { feature: parent } });
});

export const removeDependenciesOperation = DELETE({
  ...ofChild,
  id: "deleteFeatureDependencies",
  summary: "Remove all dependencies of a flag",
  errors: ["NotFoundError"],
  records: ["feature-dependencies-removed"],
}).change(({ tx, params: { projectId, child } }) =>
  removeDependencies(tx, requireFeature(tx.db, projectId, child)),
);

export const listPossibleParents = GET({
  ...ofChild,
  id: "listParentOptions",
  summary: "The flags that a flag may depend on",
  path: `${PROJECT}/features/:child/parents`,
  permission: { project: "projectId" },
  response: v.array(v.string()), // none for an unknown flag (original)
}).run(({ db, params }) => possibleParents(db).all(params));

export const readHasDependencies = GET({
  id: "checkDependenciesExist",
  summary: "Whether any flag of a project depends on another one",
  tag: "Dependencies",
  path: `${PROJECT}/dependencies`,
  permission: { project: "projectId" },
  response: v.boolean(),
}).run(({ db, params }) => anyOfProject(db).get(params) !== undefined);

const possibleParents = valueQuery<{ projectId: string; child: string }, string>(`
  SELECT name FROM features
  WHERE project = :projectId AND archived_at IS NULL AND name <> :child
    AND EXISTS (SELECT 1 FROM features WHERE name = :child AND project = :projectId)
    AND NOT EXISTS (SELECT 1 FROM feature_dependencies WHERE feature = name)
  ORDER BY name`);

const anyOfProject = query<{ projectId: string }>(`
  SELECT 1 FROM feature_dependencies JOIN features ON features.name = feature WHERE project = :projectId LIMIT 1`);

const anyOf = query<{ feature: string }>(`
  SELECT 1 FROM feature_dependencies WHERE feature = :feature LIMIT 1`);

const anyOn = query<{ parent: string }>(`SELECT 1 FROM feature_dependencies WHERE parent = :parent LIMIT 1`);

/** Whether a flag depends on another one, or another live one on it. */
export const isDependent = (db: Database, feature: string): boolean =>
  anyOf(db).get({ feature }) !== undefined || liveChildren(db, feature).length > 0;

/**
 * Checks that a flag can depend on another one: both are live and in the same project, and no chain results, since
 * evaluation looks only at a flag's direct parents (original).
 * @throws ApiError `ValidationError` for variants of a parent that must be off, else `InvalidOperationError` (original)
 */
export function requireDependency(
  db: Database,
  child: Feature,
  { feature, enabled, variants }: NewDependency,
) {
  if (feature === child.name) throw refused("A flag can't depend on itself");
  if (!enabled && variants && variants.length > 0)
    throw invalid({ path: "body.variants", message: "must be empty if the parent must be off" });
  const parent = findFeature(db, feature);
  if (!parent) throw refused(`There is no flag ${feature}`);
  if (parent.project !== child.project) throw refused(`The flag ${feature} is in another project`);
  if (parent.archived) throw refused(`The flag ${feature} is archived`);
  if (anyOf(db).get({ feature })) throw refused(`The flag ${feature} itself depends on another flag`);
  if (anyOn(db).get({ parent: child.name })) throw refused(`Other flags depend on ${child.name}`);
}

const refused = (message: string) => new ApiError("InvalidOperationError", message);

type Row = Stored<NewDependency> & { parent: string; variants: string };

const rowsOf = query<{ feature: string }, Row>(`
  SELECT feature, parent, enabled, variants FROM feature_dependencies WHERE feature = :feature ORDER BY parent`);

export const insertDependency = command<Row>(`
  INSERT INTO feature_dependencies (feature, parent, enabled, variants)
  VALUES (:feature, :parent, :enabled, :variants)`);

const remove = command<Pick<Row, "feature" | "parent">>(`
  DELETE FROM feature_dependencies WHERE feature = :feature AND parent = :parent`);

const removeAll = command<{ feature: string }>(`DELETE FROM feature_dependencies WHERE feature = :feature`);

/** Makes a flag depend on another one too, or changes an existing dependency. */
export function addDependency(tx: Tx, { name, project }: Feature, dependency: NewDependency) {
  const { feature: parent, enabled, variants } = dependency;
  remove(tx).run({ feature: name, parent });
  insertDependency(tx).run(toStored({ feature: name, parent, enabled, variants: variants ?? [] }));
  const data = { feature: parent, enabled, ...(variants && { variants }) };
  tx.record({ type: "feature-dependency-added", project, featureName: name, data });
}

/** Removes all of a flag's dependencies. */
export function removeDependencies(tx: Tx, { name, project }: Feature) {
  removeAll(tx).run({ feature: name });
  tx.record({ type: "feature-dependencies-removed", project, featureName: name });
}

/** A flag's dependencies, by parent. */
export const dependenciesOf = (db: Database, feature: string): NewDependency[] =>
  rowsOf(db)
    .all({ feature })
    .map(({ parent, ...row }) => ({ ...toDependency(row), feature: parent }));

/** Copies a flag's dependencies to another flag. */
export function copyDependencies(tx: Tx, from: string, to: Feature) {
  for (const dependency of dependenciesOf(tx.db, from)) addDependency(tx, to, dependency);
}

const toDependency = fromStored(NewDependency);
