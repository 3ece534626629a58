import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { NewStrategyType, StrategyType, UpdateStrategyType } from "./schema.ts";
import { strategyTypeNamed } from "./store.ts";

export interface StrategyTypeRow {
  name: string;
  title: string | null;
  description: string | null;
  /** As JSON. */
  parameters: string;
  deprecated: 0 | 1;
}

export const insertStrategyType = command<StrategyTypeRow>(`
  INSERT INTO strategy_types (name, title, description, parameters, deprecated)
  VALUES (:name, :title, :description, :parameters, :deprecated)`);

const update = command<Omit<StrategyTypeRow, "deprecated">>(`
  UPDATE strategy_types SET title = :title, description = :description, parameters = :parameters
  WHERE name = :name`);

const remove = command<{ name: string }>(`DELETE FROM strategy_types WHERE name = :name`);

export const setDeprecated = command<{ name: string; deprecated: 0 | 1 }>(`
  UPDATE strategy_types SET deprecated = :deprecated WHERE name = :name`);

/** Creates a strategy type; an SQLite constraint error if the name is taken. */
export function createStrategyType(tx: Tx, type: NewStrategyType): StrategyType {
  const { name, title = null, description = null } = type;
  const parameters = JSON.stringify(type.parameters);
  insertStrategyType(tx).run({ name, title, description, parameters, deprecated: 0 });
  const created = strategyTypeNamed(tx.db, name)!;
  tx.record({ type: "strategy-created", data: toData(created) });
  return created;
}

/** Changes an existing strategy type; strategies of it stay as they are. */
export function updateStrategyType(tx: Tx, before: StrategyType, type: UpdateStrategyType) {
  const { name } = before;
  const { title = before.title, description = before.description } = type;
  update(tx).run({ name, title, description, parameters: JSON.stringify(type.parameters) });
  tx.record({ type: "strategy-updated", data: toData(strategyTypeNamed(tx.db, name)!) });
}

/** Deletes a strategy type; strategies of it stay (original). */
export function deleteStrategyType(tx: Tx, { name }: StrategyType) {
  remove(tx).run({ name });
  tx.record({ type: "strategy-deleted", data: { name } });
}

/** Deprecates a strategy type; records an event even if it already is deprecated (original). */
export function deprecateStrategyType(tx: Tx, { name }: StrategyType) {
  setDeprecated(tx).run({ name, deprecated: 1 });
  tx.record({ type: "strategy-deprecated", data: { name } });
}

/** Undoes `deprecateStrategyType`. */
export function reactivateStrategyType(tx: Tx, { name }: StrategyType) {
  setDeprecated(tx).run({ name, deprecated: 0 });
  tx.record({ type: "strategy-reactivated", data: { name } });
}

/** The strategy type in events; unset properties are absent (original). */
const toData = ({ name, title, description, parameters, editable, deprecated }: StrategyType) => ({
  name,
  ...(title !== null && { title }),
  ...(description !== null && { description }),
  parameters,
  editable,
  deprecated,
});
