import { type Database, query } from "../../db/statement.ts";
import type { Data } from "./schema.ts";

/*
 * The parts of an import that already exist, with one query for each kind.
 */

interface Place {
  project: string;
  environment: string;
}

const place = query<
  Place,
  Record<"hasProject" | "hasEnvironment", 0 | 1> & { naming: string; room: number | null }
>(`
  SELECT EXISTS (SELECT 1 FROM projects WHERE id = :project AND archived_at IS NULL) AS hasProject,
    EXISTS (SELECT 1 FROM project_environments WHERE project = :project AND environment = :environment)
      AS hasEnvironment,
    ifnull((SELECT feature_naming ->> 'pattern' FROM projects WHERE id = :project), '') AS naming,
    (SELECT feature_limit FROM projects WHERE id = :project) -
      (SELECT count(*) FROM features WHERE project = :project AND archived_at IS NULL) AS room`);

// Those of other projects only get in the way: nothing else about them matters, and they may be hidden.
const features = query<
  { names: string; project: string },
  { name: string; project: string; isArchived: 0 | 1 }
>(`
  SELECT name, project, project = :project AND archived_at IS NOT NULL AS isArchived
  FROM json_each(:names) AS wanted CROSS JOIN features ON name = wanted.value ORDER BY name`);

const strategyTypes = query<{ names: string }, { name: string; isCustom: 0 | 1 }>(`
  SELECT name, editable AS isCustom FROM strategy_types WHERE name IN (SELECT value FROM json_each(:names))`);

const featureTypes = query<object, string>(`SELECT id FROM feature_types`);

const segmentIds = query<{ names: string }, { id: number; name: string; project: string | null }>(`
  SELECT id, name, project FROM segments WHERE name IN (SELECT value FROM json_each(:names))`);

const contextFields = query<{ names: string }, { name: string; legalValues: string }>(`
  SELECT name, legal_values AS legalValues FROM context_fields WHERE name IN (SELECT value FROM json_each(:names))`);

const tagTypes = query<{ names: string }, string>(`
  SELECT name FROM tag_types WHERE name IN (SELECT value FROM json_each(:names))`);

const enabled = query<{ names: string; environment: string }, string>(`
  SELECT feature FROM json_each(:names) AS wanted
  CROSS JOIN feature_environments ON feature = wanted.value AND environment = :environment WHERE enabled`);

const withStrategies = query<{ names: string; environment: string }, string>(`
  SELECT value FROM json_each(:names) AS wanted
  WHERE EXISTS (SELECT 1 FROM strategies WHERE feature = wanted.value AND environment = :environment)`);

const list = (items: ReadonlyArray<{ name: string }>) => JSON.stringify(items.map(({ name }) => name));

/** The segments, by name, that strategies of a project may use, with their local ids. */
export function segmentsOf(db: Database, project: string, segments: Data["segments"]): Map<string, number> {
  const found = segmentIds(db).all({ names: list(segments) });
  return new Map(
    found.filter((segment) => (segment.project ?? project) === project).map(({ id, name }) => [name, id]),
  );
}

/** The parts of an import that already exist. */
export function existingParts(db: Database, at: Place, data: Data) {
  const named = features(db).all({ names: list(data.features), project: at.project });
  const own = list(named.filter(({ project }) => project === at.project));
  const there = { names: own, environment: at.environment };
  return {
    ...place(db).get(at)!,
    features: new Map(named.map((feature) => [feature.name, feature])),
    enabled: new Set(enabled(db).pluck().all(there)),
    withStrategies: new Set(withStrategies(db).pluck().all(there)),
    strategyTypes: new Map(
      strategyTypes(db)
        .all({ names: list(data.featureStrategies) })
        .map(({ name, isCustom }) => [name, isCustom === 1]),
    ),
    featureTypes: new Set(featureTypes(db).pluck().all({})),
    segments: segmentsOf(db, at.project, data.segments),
    contextFields: new Map(
      contextFields(db)
        .all({ names: JSON.stringify([...data.contextFields.map(({ name }) => name), ...fieldsOf(data)]) })
        .map(({ name, legalValues }) => [name, legalValuesOf(legalValues)]),
    ),
    tagTypes: new Set(
      tagTypes(db)
        .pluck()
        .all({ names: list(data.tagTypes) }),
    ),
  };
}
export type Existing = ReturnType<typeof existingParts>;

const legalValuesOf = (json: string) =>
  new Set((JSON.parse(json) as Array<{ value: string }>).map(({ value }) => value));

/** Those of the names that are live flags of the project. */
export const liveFlagsOf = (db: Database, project: string, names: readonly string[]): Set<string> =>
  new Set(
    features(db)
      .all({ names: JSON.stringify(names), project })
      .filter((feature) => feature.project === project && feature.isArchived === 0)
      .map(({ name }) => name),
  );

/** The context fields used in constraints. */
export const fieldsOf = ({ featureStrategies }: Pick<Data, "featureStrategies">): string[] =>
  featureStrategies.flatMap(({ constraints }) => constraints.map(({ contextName }) => contextName));
