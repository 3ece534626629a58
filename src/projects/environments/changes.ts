import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { revokeToken } from "../../people/tokens/changes.ts";
import type { Environment, EnvironmentOrder, NewEnvironment, UpdateEnvironment } from "./schema.ts";
import { environmentNamed, tokensOf } from "./store.ts";

export interface EnvironmentRow {
  name: string;
  type: string;
  sortOrder: number;
  enabled: 0 | 1;
  protected: 0 | 1;
}

export const insertEnvironment = command<EnvironmentRow>(`
  INSERT INTO environments (name, type, sort_order, enabled, protected)
  VALUES (:name, :type, :sortOrder, :enabled, :protected)`);

const update = command<Pick<EnvironmentRow, "name" | "type" | "sortOrder">>(`
  UPDATE environments SET type = :type, sort_order = :sortOrder WHERE name = :name`);

const setOrder = command<Pick<EnvironmentRow, "name" | "sortOrder">>(`
  UPDATE environments SET sort_order = :sortOrder WHERE name = :name`);

const setEnabled = command<Pick<EnvironmentRow, "name" | "enabled">>(`
  UPDATE environments SET enabled = :enabled WHERE name = :name`);

const remove = command<{ name: string }>(`DELETE FROM environments WHERE name = :name`);

/** Creates an environment, not yet part of any project; an SQLite constraint error if the name is taken. */
export function createEnvironment(tx: Tx, { name, type, enabled, sortOrder }: NewEnvironment): Environment {
  insertEnvironment(tx).run({ name, type, sortOrder, enabled: enabled ? 1 : 0, protected: 0 });
  const created = environmentNamed(tx.db, name)!;
  tx.record({ type: "environment-created", environment: name, data: created });
  return created;
}

export function updateEnvironment(tx: Tx, before: Environment, change: UpdateEnvironment): Environment {
  const { type = before.type, sortOrder = before.sortOrder } = change;
  const updated = { ...before, type, sortOrder };
  update(tx).run({ name: before.name, type, sortOrder });
  tx.record({ type: "environment-updated", environment: before.name, data: updated, preData: before });
  return updated;
}

/** Deletes an environment with the state of all flags there, and revokes its tokens. */
export function deleteEnvironment(tx: Tx, environment: Environment) {
  const { name } = environment;
  for (const id of tokensOf(tx.db, name)) revokeToken(tx, id);
  remove(tx).run({ name });
  tx.record({ type: "environment-deleted", environment: name, preData: environment });
}

/** Changes the sort order of environments, ignoring unknown names; no event is recorded (original). */
export function sortEnvironments(tx: Tx, order: EnvironmentOrder) {
  for (const [name, sortOrder] of Object.entries(order)) setOrder(tx).run({ name, sortOrder });
}

/** Sets whether new projects get the environment; no event is recorded (original). */
export const changeEnabled = (tx: Tx, { name }: Environment, enabled: 0 | 1) =>
  void setEnabled(tx).run({ name, enabled });
