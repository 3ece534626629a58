import * as v from "valibot";
import { hiddenProjects } from "../access/visibility.ts";
import { query } from "../db/statement.ts";
import { GET } from "../http/operation.ts";
import { RawJson } from "../lib/raw-json.ts";
import { HOUR_MS, startOfHour } from "../lib/time.ts";
import { Timestamp } from "../lib/validation.ts";
import { SHOWN } from "./applications-store.ts";

/** A flag that applications have asked for and that doesn't exist; times are the starts of hours. */
export const UnknownFlag = v.strictObject({
  name: v.string(),
  lastSeenAt: Timestamp,
  /** Of a deleted flag. */
  lastEventAt: v.nullable(Timestamp),
  reports: v.array(
    v.strictObject({
      appName: v.string(),
      environments: v.array(v.strictObject({ environment: v.string(), seenAt: Timestamp })),
    }),
  ),
});
type UnknownFlag = v.InferOutput<typeof UnknownFlag>;

export const UnknownFlags = v.strictObject({ unknownFlags: v.array(UnknownFlag) });

export const listUnknownFlags = GET({
  id: "getUnknownFlags",
  summary: "The flags that applications have asked for within a day, and that don't exist",
  tag: "Metrics",
  path: "/api/admin/metrics/unknown-flags",
  permission: null,
  isUncached: true,
  response: UnknownFlags,
}).run(({ db, actor }) => {
  const since = startOfHour(Date.now() - 23 * HOUR_MS);
  const rows = reported(db).all({ hidden: JSON.stringify(hiddenProjects(db, actor)), since });
  return { unknownFlags: rows.map(({ reports, ...row }) => ({ ...row, reports: new RawJson(reports) })) };
});

type Row = Omit<UnknownFlag, "reports"> & { reports: string };

// At most a thousand flags (original). What applications report is stored whether or not the flag exists, and deleted
// when it is created or deleted. A name in the log of a hidden project is hidden.
const reported = query<{ hidden: string; since: string }, Row>(`
  WITH unknown AS MATERIALIZED (
    SELECT feature FROM (SELECT DISTINCT feature FROM usage_series) AS used
    WHERE NOT EXISTS (SELECT 1 FROM features WHERE name = feature)
      AND NOT EXISTS (SELECT 1 FROM events
        WHERE feature_name = feature AND project IN (SELECT value FROM json_each(:hidden)))
      AND EXISTS (SELECT 1 FROM usage_series AS asked JOIN hourly_usage ON series = asked.id
        WHERE asked.feature = used.feature AND hour >= :since AND ${SHOWN("asked.application")})
    ORDER BY feature LIMIT 1000), seen (feature, application, environment, seen_at) AS (
    SELECT feature, application, environment, max(hour)
    FROM unknown CROSS JOIN usage_series AS asked USING (feature) CROSS JOIN hourly_usage ON series = asked.id
    WHERE hour >= :since AND ${SHOWN("asked.application")}
    GROUP BY feature, application, environment
  ), reports (feature, application, seen_at, environments) AS (
    SELECT feature, application, max(seen_at),
      json_group_array(json_object('environment', environment, 'seenAt', seen_at) ORDER BY environment)
    FROM seen GROUP BY feature, application)
  SELECT feature AS name, max(seen_at) AS lastSeenAt,
    (SELECT wire ->> 'createdAt' FROM events
      WHERE id = (SELECT max(id) FROM events WHERE feature_name = feature)) AS lastEventAt,
    json_group_array(json_object('appName', application, 'environments', json(environments)) ORDER BY application)
      AS reports
  FROM reports GROUP BY feature ORDER BY feature`);
