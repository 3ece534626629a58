import * as v from "valibot";
import { snapshot } from "../../db/snapshot.ts";
import { mayBeHidden } from "../../flags/features/require.ts";
import { operation } from "../../http/operation.ts";
import { HoursBack, HoursOfUse, Usage } from "./schema.ts";
import { hoursOfUse, usageOf } from "./store.ts";

const Params = v.object({ name: v.string() });
const ENVELOPE = { version: 1, maturity: "stable" } as const;

export const readUsage = operation({
  id: "getFeatureUsageSummary",
  summary: "How often a flag was on and off in the current hour, and which applications used it",
  tag: "Metrics",
  method: "GET",
  path: "/api/admin/client-metrics/features/:name",
  permission: null,
  params: Params,
  isUncached: true,
  response: Usage,
}).run(({ db, actor, params: { name } }) =>
  snapshot(db, () => ({ ...ENVELOPE, ...(mayBeHidden(db, actor, name) ? unused(name) : usageOf(db, name)) })),
);

/** As if unknown, which a hidden flag must look like. */
const unused = (featureName: string) => ({ featureName, lastHourUsage: [], seenApplications: [] });

export const readHoursOfUse = operation({
  id: "getRawFeatureMetrics",
  summary: "How often a flag was on and off, hour by hour",
  tag: "Metrics",
  method: "GET",
  path: "/api/admin/client-metrics/features/:name/raw",
  permission: null,
  params: Params,
  query: HoursBack,
  isUncached: true,
  response: HoursOfUse,
}).run(({ db, actor, params: { name }, query: { hoursBack } }) => ({
  ...ENVELOPE,
  data: mayBeHidden(db, actor, name) ? [] : hoursOfUse(db, name, hoursBack),
}));
