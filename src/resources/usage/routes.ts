import * as v from "valibot";
import { snapshot } from "../../db/snapshot.ts";
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
  permission: { feature: "name" },
  params: Params,
  isUncached: true,
  response: Usage,
}).run(({ db, params: { name } }) => snapshot(db, () => ({ ...ENVELOPE, ...usageOf(db, name) })));

export const readHoursOfUse = operation({
  id: "getRawFeatureMetrics",
  summary: "How often a flag was on and off, hour by hour",
  tag: "Metrics",
  method: "GET",
  path: "/api/admin/client-metrics/features/:name/raw",
  permission: { feature: "name" },
  params: Params,
  query: HoursBack,
  isUncached: true,
  response: HoursOfUse,
}).run(({ db, params: { name }, query: { hoursBack } }) => ({
  ...ENVELOPE,
  data: hoursOfUse(db, name, hoursBack),
}));
