import { type PersonRow, toPerson } from "../access/person.ts";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { fromStored, query, type Stored } from "../db/statement.ts";
import { GET } from "../http/operation.ts";
import { RawJson, type Wire } from "../lib/raw-json.ts";
import { FeatureSearch, FoundFeature, FoundFeatures } from "./feature-search-schema.ts";
import { matches } from "./feature-search-store.ts";
import { LATEST_FIRST } from "./lifecycle.ts";
import { type Counted, usageThisHour } from "./usage.ts";

export const searchFeatures = GET({
  id: "searchFeatures",
  summary: "Search flags by name, description and other criteria, one page at a time",
  tag: "Search",
  path: "/api/admin/search/features",
  permission: null,
  query: FeatureSearch,
  includesUsage: true,
  response: FoundFeatures,
  exampleParams: { project: "IS:shop", query: "first" },
}).run(({ db, actor, query }) => {
  const { names, total } = matches(db, query, actor.userId, hiddenProjects(db, actor));
  return { features: featuresNamed(db, names, actor.userId), total };
});

interface FeatureRow
  extends Omit<Stored<FoundFeature>, "environments" | "createdBy" | "lifecycle" | "tags">,
    Omit<PersonRow, "id" | "name"> {
  creatorId: number | null;
  creatorName: string | null;
  /** JSON, like the tags. */
  lifecycle: string | null;
  tags: string;
}

const ON_PAGE = `json_each(:names) AS page CROSS JOIN features AS flag ON flag.name = page.value`;

// A patch omits nulls.
const featuresOf = query<{ names: string; userId: number | null }, FeatureRow>(`
  SELECT flag.type, flag.description, flag.project,
    EXISTS (SELECT 1 FROM feature_favorites WHERE feature = flag.name AND user_id = :userId) AS favorite,
    flag.name, flag.created_at AS createdAt, stale, archived_at AS archivedAt,
    impression_data AS impressionData, flag.seen_at AS lastSeenAt,
    CASE WHEN EXISTS (SELECT 1 FROM feature_dependencies WHERE parent = flag.name) THEN 'parent'
      WHEN EXISTS (SELECT 1 FROM feature_dependencies WHERE feature = flag.name) THEN 'child' END
      AS dependencyType,
    (SELECT json_group_array(DISTINCT segments.name ORDER BY segments.name) FROM strategies
      JOIN strategy_segments ON strategy = strategies.id JOIN segments ON segments.id = segment
      WHERE feature = flag.name) AS segments,
    (SELECT json_patch(json_object('stage', stage, 'enteredStageAt', entered_at), json_object('status', status))
      FROM feature_stages WHERE feature = flag.name ORDER BY ${LATEST_FIRST} LIMIT 1) AS lifecycle,
    (SELECT json_group_array(json_object('type', type, 'value', value) ORDER BY type, value)
      FROM feature_tags WHERE feature = flag.name) AS tags,
    created_by_user_id AS creatorId, users.name AS creatorName, username, email, image_url AS imageUrl
  FROM ${ON_PAGE} LEFT JOIN users ON users.id = created_by_user_id
  ORDER BY page.key`);

type Environment = FoundFeature["environments"][number];
type EnvironmentRow = Omit<
  Environment,
  "enabled" | "yes" | "no" | "hasStrategies" | "hasEnabledStrategies" | "changeRequestIds"
> & {
  /** JSON; null for none. */
  changeRequestIds: string | null;
  feature: string;
  enabled: 0 | 1;
  /** Over its strategies: 0 if any is enabled, null if there are none. */
  leastDisabled: 0 | 1 | null;
};

const environmentsOf = query<{ names: string; userId: number | null }, EnvironmentRow>(`
  SELECT flag.name AS feature, environments.name, ifnull(state.enabled, 0) AS enabled, environments.type,
    environments.sort_order AS sortOrder, ifnull(json_array_length(state.variants), 0) AS variantCount,
    state.last_seen_at AS lastSeenAt,
    (SELECT min(disabled) FROM strategies
      WHERE strategies.feature = flag.name AND strategies.environment = environments.name) AS leastDisabled,
    (SELECT nullif(json_group_array(DISTINCT request.id), '[]')
      FROM change_request_changes JOIN change_requests AS request ON request.id = change_request
      WHERE feature = flag.name AND request.environment = environments.name AND request.project = flag.project
        AND request.state NOT IN ('Applied', 'Cancelled', 'Rejected')
        AND (request.state <> 'Draft' OR request.created_by = :userId)) AS changeRequestIds
  FROM ${ON_PAGE}
  JOIN project_environments ON project_environments.project = flag.project
  JOIN environments ON environments.name = project_environments.environment
  LEFT JOIN feature_environments AS state
    ON state.feature = flag.name AND state.environment = environments.name
  ORDER BY environments.sort_order, environments.name`);

/** Those of the named flags that exist, in this order. */
function featuresNamed(db: Database, names: readonly string[], userId: number | null) {
  const list = JSON.stringify(names);
  const environments = Map.groupBy(environmentsOf(db).all({ names: list, userId }), ({ feature }) => feature);
  const usage = usageThisHour(db, names);
  return featuresOf(db)
    .all({ names: list, userId })
    .map((row) =>
      toFound(
        row,
        (environments.get(row.name) ?? []).map((environment) =>
          toEnvironment(environment, usage(row.name, environment.name)),
        ),
      ),
    );
}

function toFound(row: FeatureRow, environments: Environment[]): Wire<FoundFeature> {
  const { lifecycle, tags, segments, creatorId, creatorName, username, email, imageUrl, ...feature } = row;
  const creator: PersonRow = { id: creatorId, name: creatorName, username, email, imageUrl };
  return {
    ...restored(feature),
    environments,
    segments: new RawJson(segments),
    createdBy: toPerson(creator),
    ...(lifecycle !== null && { lifecycle: new RawJson(lifecycle) }),
    ...(tags !== "[]" && { tags: new RawJson(tags) }),
  };
}

const restored = fromStored(FoundFeature);

const toEnvironment = (
  { feature: _, leastDisabled, enabled, changeRequestIds, ...row }: EnvironmentRow,
  { yes, no }: Counted,
): Environment => ({
  ...row,
  yes,
  no,
  enabled: enabled === 1,
  hasStrategies: leastDisabled !== null,
  hasEnabledStrategies: leastDisabled === 0,
  ...(changeRequestIds !== null && { changeRequestIds: JSON.parse(changeRequestIds) as number[] }),
});
