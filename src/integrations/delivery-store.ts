import { EDITED_INTEGRATIONS, editorSees } from "../access/visibility.ts";
import { type Database, query } from "../db/statement.ts";

/** An event waiting to be delivered to an integration. */
export interface Delivery {
  eventId: number;
  /** When it may be tried next, RFC 3339. */
  dueAt: string;
  /** The number of attempts so far. */
  attempts: number;
  /** The channels still to be notified, as JSON text; null for all. */
  remaining: string | null;
}

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

const oldest = query<{ id: number; limit: number }, Delivery>(`
  SELECT event_id AS eventId, due_at AS dueAt, attempts, remaining FROM deliveries
  WHERE integration_id = :id ORDER BY event_id LIMIT :limit`);

/** What delivery needs to know about an integration. */
export interface Target {
  id: number;
  provider: string;
  /** JSON text, with secrets encrypted. */
  parameters: string;
  isActive: 0 | 1;
}

const target = query<{ id: number }, Target>(`
  SELECT id, provider, parameters, enabled AND NOT paused AS isActive FROM integrations WHERE id = :id`);

const active = query<object, number>(`SELECT id FROM integrations WHERE enabled AND NOT paused ORDER BY id`);

const wireOf = query<{ eventId: number }, string>(`SELECT wire FROM events WHERE id = :eventId`);

const receivable = query<{ integrationId: number; eventId: number }>(`
  SELECT 1 FROM ${EDITED_INTEGRATIONS} JOIN events ON events.id = :eventId
  WHERE integrations.id = :integrationId AND ${editorSees("events.project")}`);

const eventIdOf = query<{ id: bigint; integrationId: number }, number>(`
  SELECT event_id FROM integration_events WHERE id = :id AND integration_id = :integrationId`);

const retryAt = query<{ id: number }, { failures: number; retryAt: string }>(`
  SELECT failures, retry_at AS retryAt FROM integration_troubles WHERE integration_id = :id`);

// Events without a project, so that a test reveals nothing that the receiver must not see.
const newestOfIntegrations = query<object, number>(`
  SELECT max(id) FROM events WHERE type IN ('addon-config-created', 'addon-config-updated', 'addon-config-deleted')`);

// An empty list, or one that begins with `*`, means all; as when deliveries are queued.
const newestWanted = query<{ id: number; hidden: string }, number>(`
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

const queues = query<object, Queue>(`
  SELECT id, provider,
    (SELECT count(*) FROM deliveries WHERE integration_id = integrations.id) AS waiting,
    (SELECT wire ->> 'createdAt' FROM deliveries JOIN events ON events.id = event_id
      WHERE integration_id = integrations.id ORDER BY event_id LIMIT 1) AS oldestAt,
    ifnull(failures, 0) AS failures
  FROM integrations LEFT JOIN integration_troubles ON integration_id = integrations.id ORDER BY id`);

/** The events waiting for an integration, oldest first. */
export const oldestDeliveries = (db: Database, id: number, limit: number): Delivery[] =>
  oldest(db).all({ id, limit });

export const deliveryQueues = (db: Database): Queue[] => queues(db).all({});

/** The integrations that are enabled and not paused. */
export const activeIntegrations = (db: Database): number[] => active(db).pluck().all({});

export const targetById = (db: Database, id: number): Target | undefined => target(db).get({ id });

/** The event as JSON text. */
export const eventWire = (db: Database, eventId: number): string | undefined =>
  wireOf(db).pluck().get({ eventId });

/** Whether the last editor of an integration may see an event now. */
export const mayReceive = (db: Database, integrationId: number, eventId: number): boolean =>
  receivable(db).get({ integrationId, eventId }) !== undefined;

/** The event of an integration's record. */
export const eventOfRecord = (db: Database, integrationId: number, id: bigint): number | undefined =>
  eventIdOf(db).pluck().get({ id, integrationId });

/** The number of consecutive failures, and the time of the next attempt. */
export const failuresOf = (db: Database, id: number) => retryAt(db).get({ id });

/**
 * An event for testing an integration: the newest it would receive, or else one about integrations.
 * @param hidden projects that the caller, who is shown the event, may not see
 */
export const eventToTry = (db: Database, id: number, hidden: readonly string[]): number | undefined =>
  newestWanted(db)
    .pluck()
    .get({ id, hidden: JSON.stringify(hidden) }) ??
  newestOfIntegrations(db).pluck().get({}) ??
  undefined;

export const consecutiveFailures = (db: Database, id: number): number => failuresOf(db, id)?.failures ?? 0;
