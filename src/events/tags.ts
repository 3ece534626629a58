import { type Database, query } from "../db/statement.ts";
import type { Tag } from "./schema.ts";

const ofFeature = query<{ feature: string }, Tag>(`
  SELECT type, value FROM feature_tags WHERE feature = :feature ORDER BY type, value`);

/** The flag's current tags, which its events store; none if the event is not about a flag. */
export const tagsOf = (db: Database, featureName: string | null | undefined): Tag[] =>
  featureName ? ofFeature(db).all({ feature: featureName }) : [];
