import { type PersonRow, toPerson } from "../access/person.ts";
import type { Database } from "../db/database.ts";
import { query, type Stored, valueQuery } from "../db/statement.ts";
import { RawJson, type Wire } from "../lib/raw-json.ts";
import { linksOf } from "./feature-links.ts";
import type { CurrentStage, Feature, FeatureDetails } from "./features-schema.ts";
import { DEPENDENCIES, liveChildren } from "./features-store.ts";
import { LATEST_FIRST } from "./lifecycle.ts";
import { type Counted, usageThisHour } from "./usage.ts";

/** Everything about a flag, as seen by a user. */
export function featureDetails(
  db: Database,
  { archivedAt: _, ...feature }: Feature,
  { userId, withVariants }: { userId: number | null; withVariants: boolean },
): Wire<FeatureDetails> {
  const { name } = feature;
  const environments = environmentsOf(db).all({ name });
  const usage = usageThisHour(db, [name]);
  const lifecycle = stageOf(db).get({ name });
  return {
    environments: environments.map((row) => toEnvironment(row, usage(name, row.name), withVariants)),
    ...feature,
    favorite: isFavorite(db).get({ name, userId }) !== undefined,
    createdBy: toPerson(creatorOf(db).get({ name })!),
    variants: new RawJson(environments.find(({ variants }) => variants !== "[]")?.variants ?? "[]"),
    dependencies: new RawJson(dependenciesOf(db).get({ name })!),
    children: liveChildren(db, name),
    ...(lifecycle && { lifecycle }),
    links: linksOf(db).all({ feature: name }),
    collaborators: { users: authorsOf(db).all({ name }).map(toPerson) },
  };
}

const toEnvironment = (
  { variants, strategies, enabled, ...row }: EnvironmentRow,
  { yes, no }: Counted,
  withVariants: boolean,
): Wire<Environment> => ({
  ...row,
  ...(withVariants && { variants: new RawJson(variants) }),
  enabled: enabled === 1,
  yes,
  no,
  strategies: new RawJson(strategies),
});

type Environment = FeatureDetails["environments"][number];
type EnvironmentRow = Stored<Omit<Environment, "yes" | "no" | "variants">> & { variants: string };

const environmentsOf = query<{ name: string }, EnvironmentRow>(`
  SELECT environments.name, last_seen_at AS lastSeenAt, ifnull(feature_environments.enabled, 0) AS enabled,
    environments.type, environments.sort_order AS sortOrder, ifnull(feature_environments.variants, '[]') AS variants,
    (SELECT json_group_array(json_object(
        'name', strategies.name, 'constraints', json(constraints), 'variants', json(strategies.variants),
        'parameters', json(parameters),
        'segments', json((SELECT json_group_array(segment ORDER BY segment) FROM strategy_segments
          WHERE strategy = strategies.id)),
        'sortOrder', iif(strategies.sort_order = CAST(strategies.sort_order AS INTEGER),
          CAST(strategies.sort_order AS INTEGER), strategies.sort_order), 'id', strategies.id, 'title', ifnull(title, ''),
        'disabled', json(iif(disabled, 'true', 'false'))
      ) ORDER BY strategies.sort_order, strategies.id)
      FROM strategies WHERE strategies.feature = features.name AND strategies.environment = environments.name)
      AS strategies
  FROM features
  JOIN project_environments ON project_environments.project = features.project
  JOIN environments ON environments.name = project_environments.environment
  LEFT JOIN feature_environments
    ON feature_environments.feature = features.name AND feature_environments.environment = environments.name
  WHERE features.name = :name
  ORDER BY environments.sort_order, environments.name`);

const PERSON = "users.name, username, email, image_url AS imageUrl";

const creatorOf = query<{ name: string }, PersonRow>(`
  SELECT created_by_user_id AS id, ${PERSON} FROM features LEFT JOIN users ON users.id = created_by_user_id
  WHERE features.name = :name`);

const authorsOf = query<{ name: string }, PersonRow>(`
  SELECT author AS id, ${PERSON}
  FROM (SELECT wire ->> 'createdByUserId' AS author, max(id) AS newest FROM events WHERE feature_name = :name GROUP BY 1)
  LEFT JOIN users ON users.id = author
  WHERE author IS NOT NULL ORDER BY newest DESC`);

const isFavorite = query<{ name: string; userId: number | null }>(`
  SELECT 1 FROM feature_favorites WHERE feature = :name AND user_id = :userId`);

const dependenciesOf = valueQuery<{ name: string }, string>(`
  SELECT ${DEPENDENCIES} FROM feature_dependencies WHERE feature = :name`);

const stageOf = query<{ name: string }, Omit<CurrentStage, "status">>(`
  SELECT stage, entered_at AS enteredStageAt FROM feature_stages WHERE feature = :name
  ORDER BY ${LATEST_FIRST} LIMIT 1`);
