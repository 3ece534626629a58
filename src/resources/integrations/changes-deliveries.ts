import { isKnown } from "../../db/known.ts";
import { command, query } from "../../db/statement.ts";
import type { Writing } from "../../db/transaction.ts";
import { queued } from "../../events/deliveries.ts";
import { TooLongError, toStoredJson } from "../../limits.ts";
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

const putOff = command<Key & { dueAt: string; remaining: string | null }>(`
  UPDATE deliveries SET due_at = :dueAt, attempts = attempts + 1, remaining = :remaining
  WHERE integration_id = :integrationId AND event_id = :eventId`);

const queueAgain = command<Key & { dueAt: string }>(`
  INSERT INTO deliveries (integration_id, event_id, due_at) VALUES (:integrationId, :eventId, :dueAt)
  ON CONFLICT DO UPDATE SET due_at = :dueAt, attempts = 0`);

const noteTrouble = command<{ integrationId: number; now: string; reason: string; retryAt: string }>(`
  INSERT INTO integration_troubles (integration_id, failures, since, reason, retry_at)
  VALUES (:integrationId, 1, :now, :reason, :retryAt)
  ON CONFLICT DO UPDATE SET failures = failures + 1, reason = :reason, retry_at = :retryAt`);

const hasTrouble = query<{ integrationId: number }>(`
  SELECT 1 FROM integration_troubles WHERE integration_id = :integrationId`);

const endTrouble = command<{ integrationId: number }>(`
  DELETE FROM integration_troubles WHERE integration_id = :integrationId`);

const tryAtOnce = command<{ integrationId: number; now: string }>(`
  UPDATE integration_troubles SET retry_at = :now WHERE integration_id = :integrationId`);

/** An attempt to deliver, and its consequences. Times are RFC 3339. */
export interface Attempt extends Key, Pick<IntegrationEvent, "state" | "stateDetails" | "details"> {
  now: string;
  /** When to try again; undefined for not at all. */
  retryAt: string | undefined;
  /** The channels still to be notified then; undefined for all. */
  remaining: readonly string[] | undefined;
  /** The earliest time for the next request to a failing receiver. */
  restUntil: string;
}

/**
 * Records an attempt; the delivery is then complete, or waits for the next attempt.
 * @returns the id of the record; undefined if the integration or the event has been deleted
 */
export function recordAttempt(tx: Writing, attempt: Attempt): bigint | undefined {
  const { integrationId, eventId, retryAt, remaining } = attempt;
  if (!isKnown(tx.db, "integration", integrationId) || !isKnown(tx.db, "event", eventId)) return undefined;
  if (retryAt === undefined) remove(tx).run({ integrationId, eventId });
  else
    putOff(tx).run({
      integrationId,
      eventId,
      dueAt: retryAt,
      remaining: remaining ? JSON.stringify(remaining) : null,
    });
  return insertAttempt(tx, attempt);
}

/** The same for a test of an integration, which was not queued. */
export function insertAttempt(tx: Writing, attempt: Attempt): bigint {
  const { integrationId, eventId, now, state, stateDetails, restUntil } = attempt;
  if (state === "failed")
    noteTrouble(tx).run({ integrationId, now, reason: stateDetails, retryAt: restUntil });
  else if (hasTrouble(tx.db).get({ integrationId })) endTrouble(tx).run({ integrationId });
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
  queueAgain(tx).run({ integrationId, eventId, dueAt: now });
  hurry(tx, integrationId, now);
}

/** Makes an integration continue immediately, regardless of earlier failures. */
export function hurry(tx: Writing, integrationId: number, now: string) {
  tryAtOnce(tx).run({ integrationId, now });
  queued(tx, [integrationId]);
}
