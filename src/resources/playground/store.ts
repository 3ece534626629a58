import { type Database, query } from "../../db/statement.ts";
import type { Explained } from "../../evaluation/explain.ts";
import { type StoredParts, toValues } from "../strategies/require.ts";

interface Row extends Pick<Explained, "id" | "name" | "title">, StoredParts {
  feature: string;
}

const strategiesOf = query<{ projects: string; environment: string }, Row>(`
  SELECT strategies.feature, strategies.id, strategies.name, title, disabled, parameters, constraints, variants,
    (SELECT json_group_array(segment ORDER BY segment) FROM strategy_segments WHERE strategy = strategies.id)
      AS segments
  FROM json_each(:projects) AS wanted
  CROSS JOIN features ON features.project = wanted.value AND features.archived_at IS NULL
  JOIN strategies ON strategies.feature = features.name AND strategies.environment = :environment
  ORDER BY strategies.feature, sort_order, strategies.id`);

/** The strategies of all live flags of some projects in an environment, by flag, including disabled ones. */
export function strategiesByFeature(
  db: Database,
  projects: readonly string[],
  environment: string,
): Map<string, Explained[]> {
  const rows = strategiesOf(db).all({ projects: JSON.stringify(projects), environment });
  return new Map(
    [...Map.groupBy(rows, ({ feature }) => feature)].map(([name, group]) => [name, group.map(toStrategy)]),
  );
}

const toStrategy = ({ feature: _, ...row }: Row): Explained => toValues(row);
