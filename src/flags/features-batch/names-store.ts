import { type Database, query } from "../../db/statement.ts";
import type { ExportQuery } from "./schema.ts";

interface Bind {
  hidden: string;
}

const VISIBLE = `project NOT IN (SELECT value FROM json_each(:hidden))`;

const all = query<Bind, string>(`
  SELECT name FROM features INDEXED BY live_features
  WHERE archived_at IS NULL AND created_at > '' AND ${VISIBLE} ORDER BY name`);

const named = query<Bind & { names: string }, string>(`
  SELECT DISTINCT name FROM json_each(:names) CROSS JOIN features ON name = json_each.value
  WHERE ${VISIBLE} ORDER BY name`);

const tagged = query<Bind & { tag: string }, string>(`
  SELECT DISTINCT name FROM feature_tags CROSS JOIN features ON name = feature
  WHERE (value = :tag OR feature_tags.type || ':' || value = :tag) AND archived_at IS NULL AND ${VISIBLE}
  ORDER BY name`);

const ofProject = query<Bind & { project: string }, string>(`
  SELECT name FROM features WHERE project = :project AND archived_at IS NULL AND ${VISIBLE} ORDER BY name`);

/** The names of the visible flags to export; archived ones only if they are named. */
export function namesToExport(
  db: Database,
  { features, tag, project }: ExportQuery,
  hiddenProjects: readonly string[],
): string[] {
  const hidden = JSON.stringify(hiddenProjects);
  if (features !== undefined && features.length > 0)
    return named(db)
      .pluck()
      .all({ hidden, names: JSON.stringify(features) });
  if (tag !== undefined) return tagged(db).pluck().all({ hidden, tag });
  if (project !== undefined) return ofProject(db).pluck().all({ hidden, project });
  return all(db).pluck().all({ hidden });
}
