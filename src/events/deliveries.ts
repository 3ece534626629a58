import { EDITED_INTEGRATIONS, editorSees } from "../access/visibility.ts";
import { type Database, perDatabase } from "../db/database.ts";
import { command, valueQuery } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import type { StoredEvent } from "./record.ts";

type Criteria = Pick<StoredEvent, "type" | "project" | "environment">;

// An empty list, or one that begins with `*`, means all; events without a project or environment match every filter
// (original).
const interestedIn = valueQuery<Criteria, number>(`
  SELECT integrations.id FROM ${EDITED_INTEGRATIONS}
  WHERE enabled AND ${editorSees(":project")} AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = :type)
    AND (:project IS NULL OR ifnull(projects ->> 0, '*') LIKE '*%'
      OR EXISTS (SELECT 1 FROM json_each(projects) WHERE value = :project))
    AND (:environment IS NULL OR ifnull(environments ->> 0, '*') LIKE '*%'
      OR EXISTS (SELECT 1 FROM json_each(environments) WHERE value = :environment))`);

const enqueue = command<{ integrationIds: string; eventId: number; now: string }>(`
  INSERT INTO deliveries (integration_id, event_id, due_at)
  SELECT value, :eventId, :now FROM json_each(:integrationIds)`);

/**
 * Queues an event for each integration that wants it and whose last editor may see it, in the commit that records it.
 * They are looked up separately, so that without any, cached responses about deliveries stay valid.
 */
export function enqueueDeliveries(tx: Writing, eventId: number, event: StoredEvent) {
  const { createdAt: now, type, project, environment } = event;
  const integrationIds = interestedIn(tx.db).all({ type, project, environment });
  if (integrationIds.length === 0) return;
  enqueue(tx).run({ integrationIds: JSON.stringify(integrationIds), eventId, now });
  notifyQueued(tx, integrationIds);
}

type Listener = (integrationIds: readonly number[]) => void;

const queue = perDatabase((): { listener?: Listener | undefined } => ({}));

/** Notifies the listener after the commit that these integrations may have something to deliver. */
export function notifyQueued({ db, afterCommit }: Writing, integrationIds: readonly number[]) {
  afterCommit.push(() => queue(db).listener?.(integrationIds));
}

/** @param listener called with whatever this process queues; undefined to remove it */
export function onQueued(db: Database, listener: Listener | undefined) {
  queue(db).listener = listener;
}
