import { type Database, query } from "../db/statement.ts";
import type { DeliveryState, Integration } from "./schema.ts";
import { maskedParameters, type Parameters } from "./secrets.ts";

/** An integration as it is stored, with encrypted secrets. */
export interface StoredIntegration extends Omit<Integration, "delivery"> {
  paused: boolean;
}

type Json = "parameters" | "events" | "projects" | "environments";

type IntegrationRow = Omit<StoredIntegration, Json | "enabled" | "paused"> &
  Record<Json, string> & { enabled: 0 | 1; paused: 0 | 1 };

const all = query<object, IntegrationRow>(`
  SELECT id, provider, enabled, description, parameters, events, projects, environments, paused,
    created_at AS createdAt
  FROM integrations ORDER BY id`);

const byId = query<{ id: number }, IntegrationRow>(`
  SELECT id, provider, enabled, description, parameters, events, projects, environments, paused,
    created_at AS createdAt
  FROM integrations WHERE id = :id`);

const countWaiting = query<{ id: number; hidden: string }, number>(`
  SELECT count(*) FROM deliveries
  WHERE integration_id = :id AND (:hidden = '[]'
    OR (SELECT ifnull(project, '') FROM events WHERE id = event_id) NOT IN (SELECT value FROM json_each(:hidden)))`);

const trouble = query<{ id: number }, NonNullable<DeliveryState["failing"]>>(`
  SELECT failures, since, reason, retry_at AS retryAt FROM integration_troubles WHERE integration_id = :id`);

export const integrations = (db: Database): StoredIntegration[] => all(db).all({}).map(toIntegration);

export function integrationById(db: Database, id: number): StoredIntegration | undefined {
  const row = byId(db).get({ id });
  return row && toIntegration(row);
}

function toIntegration(row: IntegrationRow): StoredIntegration {
  return {
    ...row,
    enabled: row.enabled === 1,
    paused: row.paused === 1,
    parameters: JSON.parse(row.parameters) as Parameters,
    events: JSON.parse(row.events),
    projects: JSON.parse(row.projects),
    environments: JSON.parse(row.environments),
  };
}

/**
 * An integration in its wire form: with masked secrets, and with its problems, if any.
 * @param hidden projects whose events must not be counted
 */
export function toWireIntegration(
  db: Database,
  { paused, createdAt, ...stored }: StoredIntegration,
  hidden: readonly string[],
): Integration {
  const { id, provider, parameters } = stored;
  const waiting = countWaiting(db)
    .pluck()
    .get({ id, hidden: JSON.stringify(hidden) })!;
  const failing = trouble(db).get({ id }) ?? null;
  const isHealthy = !paused && waiting === 0 && failing === null;
  return {
    ...stored,
    parameters: maskedParameters(provider, parameters),
    createdAt,
    ...(!isHealthy && { delivery: { paused, waiting, failing } }),
  };
}
