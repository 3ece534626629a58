import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import type { ContextField, ContextFieldChange, NewContextField } from "./schema.ts";
import { contextFieldNamed } from "./store.ts";

export interface ContextFieldRow {
  name: string;
  description: string | null;
  stickiness: 0 | 1;
  sortOrder: number;
  /** As JSON. */
  legalValues: string;
  createdAt: string;
}

export const insertContextField = command<ContextFieldRow>(`
  INSERT INTO context_fields (name, description, stickiness, sort_order, legal_values, created_at)
  VALUES (:name, :description, :stickiness, :sortOrder, :legalValues, :createdAt)`);

const update = command<Omit<ContextFieldRow, "createdAt">>(`
  UPDATE context_fields SET description = :description, stickiness = :stickiness, sort_order = :sortOrder,
    legal_values = :legalValues
  WHERE name = :name`);

const remove = command<{ name: string }>(`DELETE FROM context_fields WHERE name = :name`);

/** After the built-in ones. */
const SORT_ORDER = 10;

/** Creates a context field; an SQLite constraint error if the name is taken. */
export function createContextField(tx: Tx, field: NewContextField): ContextField {
  const { name, description = null, sortOrder = SORT_ORDER } = field;
  insertContextField(tx).run({ ...toRow(field), name, description, sortOrder, createdAt: tx.now });
  tx.record({ type: "context-field-created", data: toData(name, field) });
  return contextFieldNamed(tx.db, name)!;
}

/** Changes a context field; `ContextFieldChange` says what happens to properties that are left out. */
export function updateContextField(tx: Tx, before: ContextField, change: ContextFieldChange) {
  const { name } = before;
  const { description = before.description, sortOrder = before.sortOrder } = change;
  update(tx).run({ ...toRow(change), name, description, sortOrder });
  const { createdAt: _, sortOrder: __, ...preData } = before;
  tx.record({ type: "context-field-updated", data: toData(name, change), preData });
}

/** Deletes a context field; constraints on it stay. */
export function deleteContextField(tx: Tx, field: ContextField) {
  remove(tx).run({ name: field.name });
  tx.record({ type: "context-field-deleted", preData: field });
}

const toRow = ({ stickiness, legalValues }: ContextFieldChange) => ({
  stickiness: stickiness ? (1 as const) : (0 as const),
  legalValues: JSON.stringify(legalValues ?? []),
});

/** The context field in events: as in the request, without the sort order (original). */
const toData = (name: string, { description, stickiness, legalValues }: ContextFieldChange) => ({
  name,
  ...(description !== undefined && { description }),
  stickiness,
  ...(legalValues && { legalValues }),
});
