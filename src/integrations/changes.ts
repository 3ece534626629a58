import { SYSTEM } from "../access/actor.ts";
import { isKnown } from "../db/known.ts";
import { command, query } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { actingAs, type Tx } from "../events/write.ts";
import { createTagType } from "../flags/tag-types.ts";
import { toStoredJson } from "../lib/limits.ts";
import { retryImmediately } from "./changes-deliveries.ts";
import { providerByName } from "./providers.ts";
import type { Integration, NewIntegration } from "./schema.ts";
import { decryptedParameters, encryptedParameters, hasPlainSecrets, type Parameters } from "./secrets.ts";
import { integrations, type StoredIntegration } from "./store.ts";

export interface IntegrationRow
  extends Record<"parameters" | "events" | "projects" | "environments", string> {
  id: number;
  provider: string;
  description: string | null;
  enabled: 0 | 1;
  paused: 0 | 1;
  createdAt: string;
  /** Whose view of private projects it has: the last editor's; see schema.sql. */
  editedByUserId: number | null;
}

export const insertIntegration = command<IntegrationRow>(`
  INSERT INTO integrations (id, provider, description, enabled, parameters, events, projects, environments, paused,
    created_at, edited_by_user_id)
  VALUES (:id, :provider, :description, :enabled, :parameters, :events, :projects, :environments, :paused,
    :createdAt, :editedByUserId)`);

const update = command<Omit<IntegrationRow, "paused" | "createdAt">>(`
  UPDATE integrations SET provider = :provider, description = :description, enabled = :enabled,
    parameters = :parameters, events = :events, projects = :projects, environments = :environments,
    edited_by_user_id = :editedByUserId
  WHERE id = :id`);

const remove = command<{ id: number }>(`DELETE FROM integrations WHERE id = :id`);

const setParameters = command<{ id: number; parameters: string }>(`
  UPDATE integrations SET parameters = :parameters WHERE id = :id`);

const setPaused = command<{ id: number; paused: 0 | 1 }>(
  `UPDATE integrations SET paused = :paused WHERE id = :id`,
);

// AUTOINCREMENT's own counter. The id is needed before the insert, since secrets are bound to it when encrypted.
const nextId = query<object, number>(`
  SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'integrations'), 0) + 1`);

/** Creates an integration and its provider's tag types (original). @returns it as in the request */
export function createIntegration(tx: Tx, integration: NewIntegration) {
  const id = nextId(tx.db).pluck().get({})!;
  const created = { id, ...integration, description: integration.description ?? null };
  const { description } = created;
  insertIntegration(tx).run({ ...toRow(tx, id, integration), description, paused: 0, createdAt: tx.now });
  for (const tagType of providerByName(integration.provider)?.tagTypes ?? [])
    if (!isKnown(tx.db, "tagType", tagType.name)) createTagType(actingAs(tx, SYSTEM), tagType);
  tx.record({ type: "addon-config-created", data: eventData(created) });
  return created;
}

/** Replaces the parameters, given unencrypted, without an event: the integration works as before. */
export function rewriteParameters(tx: Writing, { id, provider }: StoredIntegration, given: Parameters) {
  const parameters = toStoredJson(encryptedParameters(tx.db, { id, provider }, given), "parameters");
  setParameters(tx).run({ id, parameters });
}

/** Re-encrypts all secrets with the current key. @returns the number of integrations */
export function reencryptSecrets(tx: Writing): number {
  const all = integrations(tx.db);
  for (const stored of all)
    rewriteParameters(tx, stored, decryptedParameters(tx.db, stored, stored.parameters));
  return all.length;
}

/** Encrypts secrets that an older version stored in plain text. */
export function encryptPlainSecrets(tx: Writing) {
  for (const stored of integrations(tx.db))
    if (hasPlainSecrets(stored))
      rewriteParameters(tx, stored, decryptedParameters(tx.db, stored, stored.parameters));
}

/** Replaces all properties; a missing description is kept. @returns the result */
export function updateIntegration(
  tx: Tx,
  stored: StoredIntegration,
  integration: NewIntegration,
): StoredIntegration {
  const { id } = stored;
  const { description = stored.description } = integration;
  update(tx).run({ ...toRow(tx, id, integration), description });
  retryImmediately(tx, id, tx.now);
  const updated = { ...stored, ...integration, description };
  recordUpdate(tx, stored, updated);
  return updated;
}

/** Deletes an integration with the log of its deliveries and anything still waiting. */
export function deleteIntegration(tx: Tx, stored: StoredIntegration) {
  remove(tx).run({ id: stored.id });
  tx.record({ type: "addon-config-deleted", preData: eventData(stored) });
}

/** Pauses or resumes deliveries; does nothing if it already is in that state. */
export function pauseIntegration(tx: Tx, stored: StoredIntegration, paused: boolean) {
  if (stored.paused === paused) return;
  setPaused(tx).run({ id: stored.id, paused: paused ? 1 : 0 });
  retryImmediately(tx, stored.id, tx.now);
  recordUpdate(tx, stored, { ...stored, paused });
}

function recordUpdate(tx: Tx, before: StoredIntegration, after: StoredIntegration) {
  tx.record({ type: "addon-config-updated", preData: eventData(before), data: eventData(after) });
}

function toRow(
  tx: Tx,
  id: number,
  { provider, enabled, parameters, events, projects, environments }: NewIntegration,
) {
  const stored = encryptedParameters(tx.db, { id, provider }, parameters);
  return {
    id,
    provider,
    enabled: enabled ? (1 as const) : (0 as const),
    parameters: toStoredJson(stored, "parameters"),
    events: JSON.stringify(events),
    projects: JSON.stringify(projects),
    environments: JSON.stringify(environments),
    editedByUserId: tx.actor.createdByUserId,
  };
}

/** The integration in events: without its parameters, and with `paused` only if it is. */
const eventData = ({ parameters: _, paused, ...rest }: Partial<Integration> & { paused?: boolean }) => ({
  ...rest,
  ...(paused && { paused }),
});
