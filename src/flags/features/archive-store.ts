import type { Database } from "../../db/database.ts";
import { query } from "../../db/statement.ts";
import type { ArchivedFeature } from "./schema.ts";

type Row = Omit<ArchivedFeature, "stale" | "impressionData" | "environments"> & {
  stale: 0 | 1;
  impressionData: 0 | 1;
};

const archived = query<{ project: string | null; hidden: string }, Row>(`
  SELECT name, description, type, project, stale, created_at AS createdAt, impression_data AS impressionData,
    seen_at AS lastSeenAt,
    archived_at AS archivedAt
  FROM features
  WHERE archived_at IS NOT NULL AND (:project IS NULL OR project = :project)
    AND project NOT IN (SELECT value FROM json_each(:hidden))
  ORDER BY archived_at DESC, name`);

/** The archived flags, of one project or of all, last archived first. */
export const archivedFeatures = (
  db: Database,
  { project = null, hidden }: { project?: string | null; hidden: readonly string[] },
): ArchivedFeature[] =>
  archived(db)
    .all({ project, hidden: JSON.stringify(hidden) })
    .map((row) => ({
      ...row,
      stale: row.stale === 1,
      impressionData: row.impressionData === 1,
      environments: [],
    }));
