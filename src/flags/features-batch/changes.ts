import { firstPrivate, hiddenProjects } from "../../access/visibility.ts";
import { isKnown } from "../../db/known.ts";
import type { Tx } from "../../events/write.ts";
import { createContextField } from "../context-fields.ts";
import { addDependency, requireDependency } from "../dependencies.ts";
import { findFeature } from "../features/require.ts";
import { createTagType } from "../tag-types.ts";
import { importFeature, partsOf } from "./changes-feature.ts";
import { segmentsOf } from "./check-store.ts";
import type { Data, ExportQuery, FeaturesImport } from "./schema.ts";

/**
 * Creates or replaces the flags of an import in its environment; everything they refer to exists.
 * @throws ApiError `ValidationError` and `InvalidOperationError` for an invalid flag
 */
export function importFeatures(tx: Tx, { project, environment }: FeaturesImport, data: Data) {
  importDefinitions(tx, data);
  const parts = partsOf(data, segmentIdsOf(tx, project, data));
  for (const feature of data.features)
    importFeature(tx, { project, environment, feature: feature.name }, feature, parts);
  importDependencies(tx, data);
  tx.record({ type: "features-imported", project, environment });
}

/** Context fields and tag types; existing ones stay as they are. A missing description becomes an empty one (original). */
function importDefinitions(tx: Tx, { contextFields, tagTypes }: Data) {
  for (const field of contextFields)
    if (!isKnown(tx.db, "contextField", field.name)) createContextField(tx, { description: "", ...field });
  for (const type of tagTypes) if (!isKnown(tx.db, "tagType", type.name)) createTagType(tx, type);
}

/** The local ids of segments, by their ids in the import. */
function segmentIdsOf(tx: Tx, project: string, { segments }: Data): Map<number, number> {
  const localIds = segmentsOf(tx.db, project, segments);
  return new Map(segments.map(({ id, name }) => [id, localIds.get(name)!]));
}

function importDependencies(tx: Tx, data: Data) {
  for (const { feature, dependencies } of data.dependencies) {
    const child = findFeature(tx.db, feature)!;
    for (const dependency of dependencies) {
      requireDependency(tx.db, child, dependency);
      addDependency(tx, child, dependency);
    }
  }
}

/**
 * Records that flags were exported, and with which query; separately for each private project that it names, or whose
 * flags it names.
 */
export function recordExport(
  tx: Tx,
  { downloadFile: _, ...query }: ExportQuery,
  exported: ReadonlyArray<{ name: string; project: string }>,
) {
  const { createdByUserId: id, createdBy: username } = tx.actor;
  const record = (project: string | null, data: object) =>
    tx.record({ type: "features-exported", project, data: { data, auditUser: { id, username } } });
  const named = query.features ?? [];
  if (named.length === 0) return record(privateOf(tx, query.project), query);
  const projects = new Map(exported.map(({ name, project }) => [name, project]));
  const groups = Map.groupBy(named, (name) => projects.get(name));
  const homes = Map.groupBy(groups, ([project]) => privateOf(tx, project));
  for (const [project, group] of homes)
    record(project, { ...query, features: group.flatMap(([, features]) => features) });
}

/** The project if it is private and the actor may see it, else null. */
const privateOf = ({ db, actor }: Tx, project: string | undefined) =>
  project === undefined || hiddenProjects(db, actor).includes(project) ? null : firstPrivate(db, [project]);
