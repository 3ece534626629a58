import { type Database, query } from "../../db/statement.ts";
import type { StrategyUse } from "../../evaluation/constraint.ts";
import { RawJson, type Wire } from "../../lib/raw-json.ts";
import type { ContextField, ListedContextField } from "./schema.ts";

type Row = Omit<ContextField, "stickiness" | "legalValues"> & { stickiness: 0 | 1; legalValues: string };

const byName = query<{ name: string }, Row>(`
  SELECT name, description, stickiness, sort_order AS sortOrder, legal_values AS legalValues, created_at AS createdAt
  FROM context_fields WHERE name = :name`);

const listed = query<
  { hidden: string },
  Row & Pick<ListedContextField, "usedInProjects" | "usedInFeatures">
>(`
  SELECT context_fields.name, context_fields.description, stickiness, context_fields.sort_order AS sortOrder,
    legal_values AS legalValues, context_fields.created_at AS createdAt,
    count(DISTINCT features.project) AS usedInProjects, count(DISTINCT features.name) AS usedInFeatures
  FROM context_fields
  LEFT JOIN strategy_context_fields ON context_field = context_fields.name
  LEFT JOIN strategies ON strategies.id = strategy
  LEFT JOIN features ON features.name = strategies.feature AND features.archived_at IS NULL
    AND features.project NOT IN (SELECT value FROM json_each(:hidden))
  GROUP BY context_fields.name ORDER BY context_fields.name`);

const usesOf = query<{ name: string; hidden: string }, StrategyUse>(`
  SELECT strategies.id, project AS projectId, feature AS featureName, strategies.name AS strategyName, environment
  FROM strategy_context_fields JOIN strategies ON strategies.id = strategy JOIN features ON features.name = feature
  WHERE context_field = :name AND project NOT IN (SELECT value FROM json_each(:hidden))
  ORDER BY feature, environment, strategies.sort_order, strategies.id`);

export function contextFieldNamed(db: Database, name: string): ContextField | undefined {
  const row = byName(db).get({ name });
  return row && { ...row, stickiness: row.stickiness === 1, legalValues: JSON.parse(row.legalValues) };
}

/** All context fields by name. @param hidden projects that are not counted */
export const contextFields = (db: Database, hidden: readonly string[]): Wire<ListedContextField>[] =>
  listed(db)
    .all({ hidden: JSON.stringify(hidden) })
    .map((row) => ({ ...row, stickiness: row.stickiness === 1, legalValues: new RawJson(row.legalValues) }));

/** The strategies with a constraint on a field, existing or not, including those of archived flags. */
export const strategiesUsing = (db: Database, name: string, hidden: readonly string[]): StrategyUse[] =>
  usesOf(db).all({ name, hidden: JSON.stringify(hidden) });
