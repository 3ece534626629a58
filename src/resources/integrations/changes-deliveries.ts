import { isKnown } from "../../db/known.ts";
import { command, query } from "../../db/statement.ts";
import type { Writing } from "../../db/transaction.ts";
import { queued } from "../../events/deliveries.ts";
import { TooLongError, toStoredJson } from "../../limits.ts";
import type { IntegrationEvent } from "./schema.ts";

export interface EventRow {
  /** As far as SQLite can count; null for the next. */
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

/** An attempt, and what follows from it. Times are RFC 3339. */
export interface Attempt extends Key, Pick<IntegrationEvent, "state" | "stateDetails" | "details"> {
  now: string;
  /** When it is tried again; undefined where it is not. */
  retryAt: string | undefined;
  /** The channels that are still to be told then; undefined for all. */
  remaining: readonly string[] | undefined;
  /** When a receiver that failed may be sent anything again. */
  restUntil: string;
}

/**
 * Records an attempt; a delivery is done with, or waits for the next.
 * @returns the id of the record; undefined where the integration, or what it was to deliver, is gone
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

/** The same for one that was not queued, to try an integration. */
export function insertAttempt(tx: Writing, attempt: Attempt): bigint {
  const { integrationId, eventId, now, state, stateDetails, restUntil } = attempt;
  if (state === "failed")
    noteTrouble(tx).run({ integrationId, now, reason: stateDetails, retryAt: restUntil });
  else if (hasTrouble(tx.db).get({ integrationId })) endTrouble(tx).run({ integrationId });
  const details = bounded(attempt.details);
  const row = { id: null, integrationId, eventId, createdAt: now, state, stateDetails, details };
  return BigInt(insertIntegrationEvent(tx).run(row).lastInsertRowid);
}

/** An event may be as long as what is kept of an attempt, and there is more to be kept. */
function bounded({ body, ...details }: Attempt["details"]): string {
  try {
    return toStoredJson({ ...details, ...(body !== undefined && { body }) }, "details");
  } catch (error) {
    if (!(error instanceof TooLongError)) throw error;
    return JSON.stringify({ ...details, body: "It is too long to be kept here." });
  }
}

/** Queues an event again, to be tried at once with all attempts before it; one that waits, for those still to be told. */
export function redeliver(tx: Writing, integrationId: number, eventId: number, now: string) {
  queueAgain(tx).run({ integrationId, eventId, dueAt: now });
  hurry(tx, integrationId, now);
}

/** Has an integration go on at once, whatever failed before. */
export function hurry(tx: Writing, integrationId: number, now: string) {
  tryAtOnce(tx).run({ integrationId, now });
  queued(tx, [integrationId]);
}
