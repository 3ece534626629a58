import * as v from "valibot";
import { SYSTEM } from "../access/actor.ts";
import { bit, Flag, Id, kind, Name, OptionalText, OptionalTime, optional } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { command, fromStored, query, type Stored, toStored, valueQuery } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { eventTypeWarnings } from "../events/schema.ts";
import { actingAs, type Tx } from "../events/write.ts";
import { createTagType } from "../flags/tag-types.ts";
import { toStoredJson } from "../lib/limits.ts";
import { JsonObject, Timestamp } from "../lib/validation.ts";
import { retryImmediately } from "./deliveries.ts";
import { GivenIntegration, type Integration, type NewIntegration } from "./integrations-schema.ts";
import {
  decryptedParameters,
  encryptedParameters,
  hasPlainSecrets,
  maskedParameters,
  type Parameters,
} from "./parameters.ts";
import { serviceNamed } from "./providers.ts";

const StoredIntegration = v.object({
  ...GivenIntegration.entries,
  createdAt: Timestamp,
  paused: v.boolean(),
});
/** An integration as it is stored, with encrypted secrets. */
export type StoredIntegration = v.InferOutput<typeof StoredIntegration>;

const toIntegration = fromStored(StoredIntegration);

const COLUMNS = `id, provider, enabled, description, parameters, events, projects, environments, paused,
  created_at AS createdAt`;

const all = query<object, Stored<StoredIntegration>>(`SELECT ${COLUMNS} FROM integrations ORDER BY id`);

export const integrations = (db: Database): StoredIntegration[] => all(db).all({}).map(toIntegration);

const byId = query<{ id: number }, Stored<StoredIntegration>>(
  `SELECT ${COLUMNS} FROM integrations WHERE id = :id`,
);

export function integrationById(db: Database, id: number): StoredIntegration | undefined {
  const row = byId(db).get({ id });
  return row && toIntegration(row);
}

type Properties = Omit<StoredIntegration, "description" | "createdAt" | "paused">;

/** With encrypted secrets. */
const toColumns = <P extends Properties>(db: Database, properties: P) => ({
  ...toStored(properties),
  parameters: toStoredJson(encryptedParameters(db, properties), "parameters"),
});

const delivery = query<{ id: number; hidden: string }, { waiting: number; failing: string | null }>(`
  SELECT
    (SELECT count(*) FROM deliveries WHERE integration_id = :id AND (:hidden = '[]'
      OR (SELECT ifnull(project, '') FROM events WHERE id = event_id) NOT IN (SELECT value FROM json_each(:hidden)))
    ) AS waiting,
    (SELECT json_object('failures', failures, 'since', since, 'reason', reason, 'retryAt', retry_at)
      FROM integration_troubles WHERE integration_id = :id) AS failing`);

/**
 * An integration in its wire form: with masked secrets, and with its problems, if any.
 * @param hidden projects whose events must not be counted
 */
export function toWireIntegration(
  db: Database,
  { paused, createdAt, ...stored }: StoredIntegration,
  hidden: readonly string[],
): Integration {
  const { waiting, failing } = delivery(db).get({ id: stored.id, hidden: JSON.stringify(hidden) })!;
  const isHealthy = !paused && waiting === 0 && failing === null;
  return {
    ...stored,
    parameters: maskedParameters(stored),
    createdAt,
    ...(!isHealthy && { delivery: { paused, waiting, failing: failing && JSON.parse(failing) } }),
  };
}

interface Row extends Stored<StoredIntegration> {
  /** Whose view of private projects it has: the last editor's; see schema.sql. */
  editedByUserId: number | null;
}

const insertIntegration = command<Row>(`
  INSERT INTO integrations (id, provider, description, enabled, parameters, events, projects, environments, paused,
    created_at, edited_by_user_id)
  VALUES (:id, :provider, :description, :enabled, :parameters, :events, :projects, :environments, :paused,
    :createdAt, :editedByUserId)`);

// AUTOINCREMENT's own counter. The id is needed before the insert, since secrets are bound to it when encrypted.
const nextId = valueQuery<object, number>(`
  SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'integrations'), 0) + 1`);

/** Creates an integration and its provider's tag types (original). @returns it as in the request */
export function createIntegration(tx: Tx, integration: NewIntegration) {
  const id = nextId(tx.db).get({})!;
  const { description = null } = integration;
  const created = { id, ...integration, description };
  const own = { paused: 0, createdAt: tx.now, editedByUserId: tx.actor.createdByUserId } as const;
  insertIntegration(tx).run({ ...toColumns(tx.db, created), ...own });
  for (const tagType of serviceNamed(integration.provider)?.definition.tagTypes ?? [])
    if (!isKnown(tx.db, "tagType", tagType.name)) createTagType(actingAs(tx, SYSTEM), tagType);
  tx.record({ type: "addon-config-created", data: eventData(created) });
  return created;
}

const update = command<Omit<Row, "paused" | "createdAt">>(`
  UPDATE integrations SET provider = :provider, description = :description, enabled = :enabled,
    parameters = :parameters, events = :events, projects = :projects, environments = :environments,
    edited_by_user_id = :editedByUserId
  WHERE id = :id`);

/** Replaces all properties; a missing description is kept. @returns the result */
export function updateIntegration(tx: Tx, stored: StoredIntegration, integration: NewIntegration) {
  const { description = stored.description } = integration;
  const updated = { ...stored, ...integration, description };
  update(tx).run({ ...toColumns(tx.db, updated), editedByUserId: tx.actor.createdByUserId });
  retryImmediately(tx, stored.id, tx.now);
  recordUpdate(tx, stored, updated);
  return updated;
}

const setPaused = command<{ id: number; paused: 0 | 1 }>(
  `UPDATE integrations SET paused = :paused WHERE id = :id`,
);

/** Pauses or resumes deliveries; does nothing if it already is in that state. */
export function setIntegrationPaused(tx: Tx, stored: StoredIntegration, paused: boolean) {
  if (stored.paused === paused) return;
  setPaused(tx).run({ id: stored.id, paused: bit(paused) });
  retryImmediately(tx, stored.id, tx.now);
  recordUpdate(tx, stored, { ...stored, paused });
}

function recordUpdate(tx: Tx, before: StoredIntegration, after: StoredIntegration) {
  tx.record({ type: "addon-config-updated", preData: eventData(before), data: eventData(after) });
}

const remove = command<{ id: number }>(`DELETE FROM integrations WHERE id = :id`);

export function removeIntegration(tx: Tx, stored: StoredIntegration) {
  remove(tx).run({ id: stored.id });
  tx.record({ type: "addon-config-deleted", preData: eventData(stored) });
}

/** The integration in events: without its parameters, and with `paused` only if it is. */
const eventData = ({ parameters: _, paused, ...rest }: Partial<Integration> & { paused?: boolean }) => ({
  ...rest,
  ...(paused && { paused }),
});

const setParameters = command<{ id: number; parameters: string }>(`
  UPDATE integrations SET parameters = :parameters WHERE id = :id`);

/** Replaces the parameters, given unencrypted, without an event: the integration works as before. */
export function rewriteParameters(tx: Writing, { id, provider }: StoredIntegration, parameters: Parameters) {
  const stored = encryptedParameters(tx.db, { id, provider, parameters });
  setParameters(tx).run({ id, parameters: toStoredJson(stored, "parameters") });
}

/** Re-encrypts all secrets with the current key. @returns the number of integrations */
export function reencryptSecrets(tx: Writing, list = integrations(tx.db)): number {
  for (const stored of list) rewriteParameters(tx, stored, decryptedParameters(tx.db, stored));
  return list.length;
}

/** Encrypts secrets that an older version stored in plain text. */
export const encryptPlainSecrets = (tx: Writing) =>
  reencryptSecrets(tx, integrations(tx.db).filter(hasPlainSecrets));

const rows = query<object, Row>(`
  SELECT id, provider, description, enabled, parameters, events, projects, environments, paused,
    created_at AS createdAt, edited_by_user_id AS editedByUserId
  FROM integrations ORDER BY id`);

/** Its line in a dataset. */
export const integration = kind({
  name: "integration",
  isNumbered: true,
  schema: v.strictObject({
    id: Id,
    provider: Name,
    description: OptionalText,
    enabled: Flag(true),
    paused: Flag(false),
    parameters: v.optional(JsonObject, {}),
    events: v.optional(v.array(Name), []),
    projects: v.optional(v.array(Name), []),
    environments: v.optional(v.array(Name), []),
    createdAt: OptionalTime,
    editedByUserId: optional(v.pipe(v.number(), v.integer())),
  }),
  insert: ({ tx, now }, line) =>
    void insertIntegration(tx).run({ ...toColumns(tx.db, line), createdAt: line.createdAt ?? now }),
  rows: (db) => rows(db).iterate({}),
  warnings: (_, line) => lineWarnings(line),
  revealed: (db, row) => ({
    ...row,
    parameters: decryptedParameters(db, { ...row, parameters: row.parameters ?? {} }),
  }),
  masked: (row) => ({ ...row, parameters: maskedParameters({ ...row, parameters: row.parameters ?? {} }) }),
});

/** What the API would refuse. */
function* lineWarnings(line: Pick<Properties, "provider" | "parameters" | "events">): Generator<string> {
  for (const [index, type] of line.events.entries()) yield* eventTypeWarnings(`events.${index}`, type);
  const service = serviceNamed(line.provider);
  if (!service) return yield `provider: there is no provider ${JSON.stringify(line.provider)}`;
  for (const { name, required } of service.definition.parameters)
    if (required && !line.parameters[name]) yield `parameters.${name}: is required by ${line.provider}`;
}
