import { command } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import type { StoredEvent } from "./record.ts";

interface Row {
  eventId: number;
  type: string;
  project: string | null;
  environment: string | null;
  now: string;
}

// An empty list, and one that begins with `*`, stands for all; what is of no project or environment concerns all
// (original).
const enqueue = command<Row>(`
  INSERT INTO deliveries (integration_id, event_id, due_at)
  SELECT id, :eventId, :now FROM integrations
  WHERE enabled AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = :type)
    AND (:project IS NULL OR ifnull(projects ->> 0, '*') LIKE '*%'
      OR EXISTS (SELECT 1 FROM json_each(projects) WHERE value = :project))
    AND (:environment IS NULL OR ifnull(environments ->> 0, '*') LIKE '*%'
      OR EXISTS (SELECT 1 FROM json_each(environments) WHERE value = :environment))`);

/** Queues an event for each integration that wants it, in the commit that records it. */
export function enqueueDeliveries(
  tx: Writing,
  eventId: number,
  { type, project, environment, createdAt }: StoredEvent,
) {
  enqueue(tx).run({ eventId, type, project, environment, now: createdAt });
}
