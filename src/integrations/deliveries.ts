import { EDITED_INTEGRATIONS, editorSees } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { command, query, valueQuery } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { notifyQueued } from "../events/deliveries.ts";
import { TooLongError, toStoredJson } from "../lib/limits.ts";
import type { IntegrationEvent } from "./integrations-schema.ts";
import { insertIntegrationEvent } from "./records.ts";

/*
 * The queue of events that wait for delivery, and what an attempt changes in it.
 */

export interface Delivery {
  eventId: number;
  /** When it may be tried next, RFC 3339. */
  dueAt: string;
  /** The number of attempts so far. */
  attempts: number;
  /** The channels still to be notified, as JSON text; null for all. */
  remaining: string | null;
}

/** Oldest first. */
export const oldestDeliveries = query<{ id: number; limit: number }, Delivery>(`
  SELECT event_id AS eventId, due_at AS dueAt, attempts, remaining FROM deliveries
  WHERE integration_id = :id ORDER BY event_id LIMIT :limit`);

/** An integration's backlog, and whether deliveries are failing. */
export interface Queue {
  id: number;
  provider: string;
  waiting: number;
  /** When the oldest waiting event was recorded, RFC 3339; null if none is waiting. */
  oldestAt: string | null;
  /** How many attempts in a row have failed. */
  failures: number;
}

export const deliveryQueues = query<object, Queue>(`
  SELECT id, provider,
    (SELECT count(*) FROM deliveries WHERE integration_id = integrations.id) AS waiting,
    (SELECT wire ->> 'createdAt' FROM deliveries JOIN events ON events.id = event_id
      WHERE integration_id = integrations.id ORDER BY event_id LIMIT 1) AS oldestAt,
    ifnull(failures, 0) AS failures
  FROM integrations LEFT JOIN integration_troubles ON integration_id = integrations.id ORDER BY id`);

/** What delivery needs to know about an integration. */
export interface Target {
  id: number;
  provider: string;
  /** JSON text, with secrets encrypted. */
  parameters: string;
  isActive: 0 | 1;
}

export const targetById = query<{ id: number }, Target>(`
  SELECT id, provider, parameters, enabled AND NOT paused AS isActive FROM integrations WHERE id = :id`);

export const activeIntegrations = valueQuery<object, number>(`
  SELECT id FROM integrations WHERE enabled AND NOT paused ORDER BY id`);

/** An event as JSON text, what proves the log up to it, and whether the last editor of an integration may see it now. */
export const eventFor = query<Key, { wire: string; head: string | null; isVisible: 0 | 1 }>(`
  SELECT wire, id || ':' || lower(hex(hash)) AS head, EXISTS (SELECT 1 FROM ${EDITED_INTEGRATIONS}
    WHERE integrations.id = :integrationId AND ${editorSees("events.project")}) AS isVisible
  FROM events WHERE events.id = :eventId`);

const trouble = query<{ id: number }, { failures: number; retryAt: string }>(`
  SELECT failures, retry_at AS retryAt FROM integration_troubles WHERE integration_id = :id`);

/** The number of consecutive failures, and the time of the next attempt; empty if there are none. */
export const troubleOf = (db: Database, id: number) =>
  trouble(db).get({ id }) ?? { failures: 0, retryAt: "" };

// An empty list, or one that begins with `*`, means all; as when deliveries are queued.
const newestWanted = valueQuery<{ id: number; hidden: string }, number>(`
  SELECT recent.id FROM ${EDITED_INTEGRATIONS}
  JOIN events AS recent ON recent.id > (SELECT max(id) - 500 FROM events)
  WHERE integrations.id = :id AND ${editorSees("recent.project")}
    AND ifnull(recent.project, '') NOT IN (SELECT value FROM json_each(:hidden))
    AND recent.type IN (SELECT value FROM json_each(integrations.events))
    AND (project IS NULL OR ifnull(projects ->> 0, '*') LIKE '*%'
      OR project IN (SELECT value FROM json_each(projects)))
    AND (wire ->> 'environment' IS NULL OR ifnull(environments ->> 0, '*') LIKE '*%'
      OR wire ->> 'environment' IN (SELECT value FROM json_each(environments)))
  ORDER BY recent.id DESC LIMIT 1`);

// Events without a project, so that a test reveals nothing that the receiver must not see.
const newestOfIntegrations = valueQuery<object, number>(`
  SELECT max(id) FROM events WHERE type IN ('addon-config-created', 'addon-config-updated', 'addon-config-deleted')`);

/**
 * An event for testing an integration: the newest it would receive, or else one about integrations.
 * @param hidden projects that the caller, who is shown the event, may not see
 */
export const eventToTry = (db: Database, id: number, hidden: readonly string[]): number | undefined =>
  newestWanted(db).get({ id, hidden: JSON.stringify(hidden) }) ??
  newestOfIntegrations(db).get({}) ??
  undefined;

type Key = { integrationId: number; eventId: number };

/** An attempt to deliver, and its consequences. Times are RFC 3339. */
export interface Attempt extends Key, Pick<IntegrationEvent, "state" | "stateDetails" | "details"> {
  now: string;
  /** When to try again; undefined for not at all. */
  retryAt: string | undefined;
  /** The channels still to be notified then; undefined for all. */
  remaining: readonly string[] | undefined;
  /** When the next request to a failing receiver may be sent, at the earliest. */
  backoffUntil: string;
}

const remove = command<Key>(`
  DELETE FROM deliveries WHERE integration_id = :integrationId AND event_id = :eventId`);

const postpone = command<Key & { dueAt: string; remaining: string | null }>(`
  UPDATE deliveries SET due_at = :dueAt, attempts = attempts + 1, remaining = :remaining
  WHERE integration_id = :integrationId AND event_id = :eventId`);

/**
 * Records an attempt, after which the delivery is complete or waits for the next attempt; does nothing if the
 * integration or the event has been deleted.
 */
export function recordAttempt(tx: Writing, attempt: Attempt) {
  const { integrationId, eventId, retryAt: dueAt, remaining: channels } = attempt;
  if (!isKnown(tx.db, "integration", integrationId) || !isKnown(tx.db, "event", eventId)) return;
  const remaining = channels ? JSON.stringify(channels) : null;
  if (dueAt === undefined) remove(tx).run({ integrationId, eventId });
  else postpone(tx).run({ integrationId, eventId, dueAt, remaining });
  insertAttempt(tx, attempt);
}

const recordFailure = command<{ integrationId: number; now: string; reason: string; retryAt: string }>(`
  INSERT INTO integration_troubles (integration_id, failures, since, reason, retry_at)
  VALUES (:integrationId, 1, :now, :reason, :retryAt)
  ON CONFLICT DO UPDATE SET failures = failures + 1, reason = :reason, retry_at = :retryAt`);

const clearFailures = command<{ integrationId: number }>(`
  DELETE FROM integration_troubles WHERE integration_id = :integrationId`);

/** The same for a test of an integration, which was not queued. @returns the id of the record */
export function insertAttempt(tx: Writing, attempt: Attempt): bigint {
  const { integrationId, eventId, now, state, stateDetails, backoffUntil } = attempt;
  if (state === "failed")
    recordFailure(tx).run({ integrationId, now, reason: stateDetails, retryAt: backoffUntil });
  else if (trouble(tx.db).get({ id: integrationId })) clearFailures(tx).run({ integrationId });
  const details = bounded(attempt.details);
  const row = { id: null, integrationId, eventId, createdAt: now, state, stateDetails, details };
  return BigInt(insertIntegrationEvent(tx).run(row).lastInsertRowid);
}

/** Limits the size: together with an event of maximum length, an attempt would be too long to store. */
function bounded({ body, ...details }: Attempt["details"]): string {
  try {
    return toStoredJson({ ...details, ...(body !== undefined && { body }) }, "details");
  } catch (error) {
    if (!(error instanceof TooLongError)) throw error;
    return JSON.stringify({ ...details, body: "It is too long to be stored here." });
  }
}

const requeue = command<Key & { dueAt: string }>(`
  INSERT INTO deliveries (integration_id, event_id, due_at) VALUES (:integrationId, :eventId, :dueAt)
  ON CONFLICT DO UPDATE SET due_at = :dueAt, attempts = 0`);

/**
 * Queues an event again for immediate delivery, with a fresh number of attempts; if it is still queued, only for the
 * channels still to be notified.
 */
export function redeliver(tx: Writing, integrationId: number, eventId: number, now: string) {
  requeue(tx).run({ integrationId, eventId, dueAt: now });
  retryImmediately(tx, integrationId, now);
}

const retryNow = command<{ integrationId: number; now: string }>(`
  UPDATE integration_troubles SET retry_at = :now WHERE integration_id = :integrationId`);

/** Makes an integration deliver immediately, regardless of earlier failures. */
export function retryImmediately(tx: Writing, integrationId: number, now: string) {
  retryNow(tx).run({ integrationId, now });
  notifyQueued(tx, [integrationId]);
}
