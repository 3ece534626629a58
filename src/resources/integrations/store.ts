import { type Database, query } from "../../db/statement.ts";
import { isLinked, linked } from "../../events/wire.ts";
import { RawJson } from "../../http/raw-json.ts";
import type { DeliveryState, Integration, IntegrationEvent } from "./schema.ts";
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

const countWaiting = query<{ id: number }, number>(
  `SELECT count(*) FROM deliveries WHERE integration_id = :id`,
);

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

/** An integration in its wire form: with masked secrets, and with its problems, if any. */
export function toWireIntegration(
  db: Database,
  { paused, createdAt, ...stored }: StoredIntegration,
): Integration {
  const { id, provider, parameters } = stored;
  const waiting = countWaiting(db).pluck().get({ id })!;
  const failing = trouble(db).get({ id }) ?? null;
  const isHealthy = !paused && waiting === 0 && failing === null;
  return {
    ...stored,
    parameters: maskedParameters(provider, parameters),
    createdAt,
    ...(!isHealthy && { delivery: { paused, waiting, failing } }),
  };
}

type Row = Omit<IntegrationEvent, "event" | "details"> & { event: string; details: string };

// The id is sent as text, since it may exceed JavaScript's integers.
const newest = query<Page & { before: bigint }, Row>(`
  SELECT CAST(integration_events.id AS TEXT) AS id, integration_events.integration_id AS integrationId,
    integration_events.created_at AS createdAt, integration_events.state,
    integration_events.state_details AS stateDetails, events.wire AS event, integration_events.details
  FROM integration_events JOIN events ON events.id = integration_events.event_id
  WHERE integration_events.integration_id = :integrationId AND integration_events.id < :before
  ORDER BY integration_events.id DESC LIMIT :limit OFFSET :offset`);

const recordById = query<{ id: bigint }, Row>(`
  SELECT CAST(integration_events.id AS TEXT) AS id, integration_events.integration_id AS integrationId,
    integration_events.created_at AS createdAt, integration_events.state,
    integration_events.state_details AS stateDetails, events.wire AS event, integration_events.details
  FROM integration_events JOIN events ON events.id = integration_events.event_id
  WHERE integration_events.id = :id`);

/** An existing record, by its id. */
export class RecordJson extends RawJson<IntegrationEvent> {
  readonly row: Row;

  constructor(db: Database, id: bigint) {
    super("");
    this.row = recordById(db).get({ id })!;
  }

  override toText(root: string) {
    return toWire(this.row, root);
  }
}

interface Page {
  integrationId: number;
  limit: number;
  offset: number;
}

/** The number of records per window: each may be a megabyte. */
const WINDOW = 100;

/** The id at which the next window begins, and the records of one, separated by commas; null if there are none. */
interface Window {
  count: number;
  oldest: string;
  text: string | Buffer | null;
}

// Building the text in SQLite is cheaper than passing each value through JavaScript.
const newestJoined = query<Page & { before: bigint }, Window>(`
  SELECT count(*) AS count, CAST(min(id) AS TEXT) AS oldest, CAST(group_concat(text, ',') AS BLOB) AS text
  FROM (
    SELECT integration_events.id,
      concat('{"id":"', integration_events.id, '","integrationId":', integration_events.integration_id,
        ',"createdAt":', json_quote(integration_events.created_at), ',"state":', json_quote(integration_events.state),
        ',"stateDetails":', json_quote(integration_events.state_details), ',"event":', events.wire,
        ',"details":', integration_events.details, '}') AS text
    FROM integration_events JOIN events ON events.id = integration_events.event_id
    WHERE integration_events.integration_id = :integrationId AND integration_events.id < :before
    ORDER BY integration_events.id DESC LIMIT :limit OFFSET :offset)`);

/** An integration's records, newest first, as wire JSON in windows. @param root prefixes paths on this server */
export function* integrationEvents(db: Database, page: Page, root: string): Generator<string | Buffer> {
  let { limit, offset } = page;
  for (let before = 2n ** 63n - 1n; limit > 0; limit -= WINDOW, offset = 0) {
    const bind = { ...page, limit: Math.min(limit, WINDOW), offset, before };
    const { count, oldest, text } = isLinked(root) ? oneByOne(db, bind, root) : newestJoined(db).get(bind)!;
    if (text !== null) yield text;
    if (count < WINDOW) return;
    before = BigInt(oldest);
  }
}

/** The same if links must be rewritten. */
function oneByOne(db: Database, bind: Page & { before: bigint }, root: string): Window {
  const rows = newest(db).all(bind);
  const text = rows.length === 0 ? null : rows.map((row) => toWire(row, root)).join(",");
  return { count: rows.length, oldest: rows.at(-1)?.id ?? "", text };
}

/** JSON columns are passed through as they are. */
function toWire({ event, details, ...rest }: Row, root: string) {
  return `${JSON.stringify(rest).slice(0, -1)},"event":${linked(event, root)},"details":${details}}`;
}
