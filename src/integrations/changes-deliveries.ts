import { isKnown } from "../db/known.ts";
import { command, query } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { notifyQueued } from "../events/deliveries.ts";
import { TooLongError, toStoredJson } from "../lib/limits.ts";
import type { IntegrationEvent } from "./schema.ts";

export interface EventRow {
  /** Up to the largest integer of SQLite; null for the next free one. */
  id: bigint | null;
  integrationId: number;
  createdAt: string;
  state: IntegrationEvent["state"];
  stateDetails: string;
  eventId: number;
  /** JSON text. */
  details: string;
}

export const insertIntegrationEvent = command<EventRow>(`
  INSERT INTO integration_events (id, integration_id, created_at, state, state_details, event_id, details)
  VALUES (:id, :integrationId, :createdAt, :state, :stateDetails, :eventId, :details)`);

type Key = { integrationId: number; eventId: number };

const remove = command<Key>(`
  DELETE FROM deliveries WHERE integration_id = :integrationId AND event_id = :eventId`);

const postpone = command<Key & { dueAt: string; remaining: string | null }>(`
  UPDATE deliveries SET due_at = :dueAt, attempts = attempts + 1, remaining = :remaining
  WHERE integration_id = :integrationId AND event_id = :eventId`);

const requeue = command<Key & { dueAt: string }>(`
  INSERT INTO deliveries (integration_id, event_id, due_at) VALUES (:integrationId, :eventId, :dueAt)
  ON CONFLICT DO UPDATE SET due_at = :dueAt, attempts = 0`);

const recordFailure = command<{ integrationId: number; now: string; reason: string; retryAt: string }>(`
  INSERT INTO integration_troubles (integration_id, failures, since, reason, retry_at)
  VALUES (:integrationId, 1, :now, :reason, :retryAt)
  ON CONFLICT DO UPDATE SET failures = failures + 1, reason = :reason, retry_at = :retryAt`);

const isFailing = query<{ integrationId: number }>(`
  SELECT 1 FROM integration_troubles WHERE integration_id = :integrationId`);

const clearFailures = command<{ integrationId: number }>(`
  DELETE FROM integration_troubles WHERE integration_id = :integrationId`);

const retryNow = command<{ integrationId: number; now: string }>(`
  UPDATE integration_troubles SET retry_at = :now WHERE integration_id = :integrationId`);

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

/**
 * Records an attempt, after which the delivery is complete or waits for the next attempt.
 * @returns the id of the record; undefined if the integration or the event has been deleted
 */
export function recordAttempt(tx: Writing, attempt: Attempt): bigint | undefined {
  const { integrationId, eventId, retryAt, remaining } = attempt;
  if (!isKnown(tx.db, "integration", integrationId) || !isKnown(tx.db, "event", eventId)) return undefined;
  if (retryAt === undefined) remove(tx).run({ integrationId, eventId });
  else
    postpone(tx).run({
      integrationId,
      eventId,
      dueAt: retryAt,
      remaining: remaining ? JSON.stringify(remaining) : null,
    });
  return insertAttempt(tx, attempt);
}

/** The same for a test of an integration, which was not queued. */
export function insertAttempt(tx: Writing, attempt: Attempt): bigint {
  const { integrationId, eventId, now, state, stateDetails, backoffUntil } = attempt;
  if (state === "failed")
    recordFailure(tx).run({ integrationId, now, reason: stateDetails, retryAt: backoffUntil });
  else if (isFailing(tx.db).get({ integrationId })) clearFailures(tx).run({ integrationId });
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

/**
 * Queues an event again for immediate delivery, with a fresh number of attempts; if it is still queued, only for the
 * channels still to be notified.
 */
export function redeliver(tx: Writing, integrationId: number, eventId: number, now: string) {
  requeue(tx).run({ integrationId, eventId, dueAt: now });
  retryImmediately(tx, integrationId, now);
}

/** Makes an integration deliver immediately, regardless of earlier failures. */
export function retryImmediately(tx: Writing, integrationId: number, now: string) {
  retryNow(tx).run({ integrationId, now });
  notifyQueued(tx, [integrationId]);
}
