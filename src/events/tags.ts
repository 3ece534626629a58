import { type Database, query } from "../db/statement.ts";
import type { Tag } from "./schema.ts";

const ofFeature = query<{ feature: string }, Tag>(`
  SELECT type, value FROM feature_tags WHERE feature = :feature ORDER BY type, value`);

/** The tags that a flag has now, which an event of it keeps; none where it is of no flag. */
export const tagsOf = (db: Database, featureName: string | null | undefined): Tag[] =>
  featureName ? ofFeature(db).all({ feature: featureName }) : [];
