import { type Database, query } from "../../db/statement.ts";
import type { Tag } from "../../events/schema.ts";
import { RawJson } from "../../http/raw-json.ts";
import { listedTexts } from "./listed-store.ts";
import type { FeatureFilter, ProjectFeature } from "./schema.ts";

const liveFeatures = query<{ project: string; userId: number | null }, { name: string; favorite: 0 | 1 }>(`
  SELECT name, EXISTS (SELECT 1 FROM feature_favorites WHERE feature = name AND user_id = :userId) AS favorite
  FROM features
  WHERE project = :project AND archived_at IS NULL
    AND (SELECT archived_at FROM projects WHERE id = :project) IS NULL
  ORDER BY name`);

/** The live flags of a live project by name; none if the project is unknown or archived. */
export function projectFeatures(
  db: Database,
  project: string,
  userId: number | null,
  filter: FeatureFilter,
): RawJson<ProjectFeature[]> {
  const features = liveFeatures(db).all({ project, userId });
  const texts = listedTexts(
    db,
    features.map(({ name }) => name),
  );
  const isListed = toCondition(filter);
  const listed = features.flatMap(({ name, favorite }, index) => {
    const { before, after, tags } = texts[index]!;
    return isListed(name, tags) ? [`${before}${favorite === 1}${after}`] : [];
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
