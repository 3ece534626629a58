import { type Database, query } from "../../db/statement.ts";
import type { Tag } from "../../events/schema.ts";
import { RawJson } from "../../lib/raw-json.ts";
import { listedTexts } from "./listed-store.ts";
import type { FeatureFilter, ProjectFeature } from "./schema.ts";

const liveFeatures = query<{ project: string }, string>(`
  SELECT name FROM features
  WHERE project = :project AND archived_at IS NULL
    AND (SELECT archived_at FROM projects WHERE id = :project) IS NULL
  ORDER BY name`);

const favorites = query<{ userId: number | null }, string>(`
  SELECT feature FROM feature_favorites WHERE user_id = :userId`);

/** The live flags of a live project by name; none if the project is unknown or archived. */
export function projectFeatures(
  db: Database,
  project: string,
  userId: number | null,
  filter: FeatureFilter,
): RawJson<ProjectFeature[]> {
  const names = liveFeatures(db).pluck().all({ project });
  const texts = listedTexts(db, names);
  const favorite = new Set(favorites(db).pluck().all({ userId }));
  const isListed = toCondition(filter);
  const listed = names.flatMap((name, index) => {
    const { before, after, tags } = texts[index]!;
    return isListed(name, tags) ? [`${before}${favorite.has(name)}${after}`] : [];
  });
  return new RawJson(`[${listed.join(",")}]`);
}

function toCondition({ namePrefix, tag: wantedTags }: FeatureFilter) {
  const prefix = namePrefix.toLowerCase();
  const isMatch = ({ type, value }: Tag) =>
    wantedTags.some((wanted) => wanted.type === type && wanted.value === value);
  return (name: string, tags: readonly Tag[]) =>
    name.toLowerCase().startsWith(prefix) && (wantedTags.length === 0 || tags.some(isMatch));
}
