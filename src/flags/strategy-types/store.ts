import { type Database, query } from "../../db/statement.ts";
import type { StrategyType } from "./schema.ts";

interface Row {
  displayName: string | null;
  name: string;
  editable: 0 | 1;
  description: string | null;
  parameters: string;
  deprecated: 0 | 1;
  title: string | null;
}

const COLUMNS = `display_name AS displayName, name, editable, description, parameters, deprecated, title`;

const inOrder = query<object, Row>(`SELECT ${COLUMNS} FROM strategy_types ORDER BY sort_order, name`);

const byName = query<{ name: string }, Row>(`SELECT ${COLUMNS} FROM strategy_types WHERE name = :name`);

/** All strategy types, built-in ones first. */
export const strategyTypes = (db: Database): StrategyType[] => inOrder(db).all({}).map(toStrategyType);

/** The strategy type with this name; undefined if there is none. */
export function strategyTypeNamed(db: Database, name: string): StrategyType | undefined {
  const row = byName(db).get({ name });
  return row && toStrategyType(row);
}

const toStrategyType = (row: Row): StrategyType => ({
  ...row,
  editable: row.editable === 1,
  parameters: JSON.parse(row.parameters),
  deprecated: row.deprecated === 1,
});
