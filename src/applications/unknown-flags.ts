import * as v from "valibot";
import { hiddenProjects } from "../access/visibility.ts";
import { snapshot } from "../db/database.ts";
import { query } from "../db/statement.ts";
import { GET } from "../http/operation.ts";
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
}).run(({ db, actor }) =>
  snapshot(db, () => {
    const since = startOfHour(Date.now() - 23 * HOUR_MS);
    const rows = reported(db).all({ hidden: JSON.stringify(hiddenProjects(db, actor)), since });
    return { unknownFlags: [...Map.groupBy(rows, ({ name }) => name).values()].map(toUnknownFlag) };
  }),
);

interface Row extends Omit<UnknownFlag, "lastSeenAt" | "reports"> {
  appName: string;
  environment: string;
  seenAt: string;
}

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
    ORDER BY feature LIMIT 1000)
  SELECT feature AS name, application AS appName, environment, max(hour) AS seenAt,
    (SELECT wire ->> 'createdAt' FROM events
      WHERE id = (SELECT max(id) FROM events WHERE feature_name = feature)) AS lastEventAt
  FROM unknown CROSS JOIN usage_series AS asked USING (feature) CROSS JOIN hourly_usage ON series = asked.id
  WHERE hour >= :since AND ${SHOWN("asked.application")}
  GROUP BY feature, application, environment
  ORDER BY feature, application, environment`);

function toUnknownFlag(rows: readonly Row[]): UnknownFlag {
  const { name, lastEventAt } = rows[0]!;
  const seenAt = rows.map((row) => row.seenAt).toSorted();
  const reports = [...Map.groupBy(rows, ({ appName }) => appName)].map(([appName, group]) => ({
    appName,
    environments: group.map(({ environment, seenAt }) => ({ environment, seenAt })),
  }));
  return { name, lastSeenAt: seenAt.at(-1)!, lastEventAt, reports };
}
