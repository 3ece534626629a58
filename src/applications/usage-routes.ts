import * as v from "valibot";
import type { SdkActor } from "../access/authenticate.ts";
import { mayBeHidden } from "../flags/features-store.ts";
import { GET, PlainText, POST } from "../http/operation.ts";
import { gather, toReports } from "./reports.ts";
import { HoursBack, HoursOfUse, Usage, UsageReport } from "./usage-schema.ts";
import { hoursOfUse, usageOf } from "./usage-store.ts";

const ENVELOPE = { version: 1, maturity: "stable" } as const;

export const readUsage = GET({
  id: "getFeatureUsageSummary",
  summary: "How often a flag was on and off in the current hour, and which applications used it",
  tag: "Metrics",
  path: "/api/admin/client-metrics/features/:name",
  permission: null,
  isUncached: true,
  response: Usage,
}).run(({ db, actor, params: { name } }) => ({
  ...ENVELOPE,
  ...(mayBeHidden(db, actor, name) ? unused(name) : usageOf(db, name)),
}));

/** As if unknown, which a hidden flag must look like. */
const unused = (featureName: string) => ({ featureName, lastHourUsage: [], seenApplications: [] });

export const readHoursOfUse = GET({
  id: "getRawFeatureMetrics",
  summary: "How often a flag was on and off, hour by hour",
  tag: "Metrics",
  path: "/api/admin/client-metrics/features/:name/raw",
  permission: null,
  query: HoursBack,
  isUncached: true,
  response: HoursOfUse,
}).run(({ db, actor, params: { name }, query: { hoursBack } }) => ({
  ...ENVELOPE,
  data: mayBeHidden(db, actor, name) ? [] : hoursOfUse(db, name, hoursBack),
}));

const EXAMPLE = {
  appName: "checkout",
  instanceId: "checkout-1",
  bucket: {
    start: "2026-01-31T09:00:00.000Z",
    stop: "2026-01-31T09:01:00.000Z",
    toggles: { "first-flag": { yes: 12, no: 3 } },
  },
};

export const reportUsage = POST({
  id: "registerClientMetrics",
  summary: "Report how often an application's flags were on and off",
  tag: "Client",
  path: "/api/client/metrics",
  permission: { isForSdks: true },
  body: UsageReport,
  status: 202,
  isUncached: true,
  example: EXAMPLE,
}).run(({ db, actor, body, address }) => gather(db, toReports(db, actor as SdkActor, body, address)));

export const reportFrontendUsage = POST({
  id: "registerFrontendMetrics",
  summary: "Report how often a page's flags were on and off",
  tag: "Frontend",
  path: "/api/frontend/client/metrics",
  permission: { isForSdks: true },
  body: UsageReport,
  isUncached: true,
  response: PlainText,
  example: EXAMPLE,
}).run(({ db, actor, body, address }) => {
  gather(db, toReports(db, actor as SdkActor, body, address));
  return "OK";
});

/** All that is left of an old API for usage (original). */
const Gone = v.strictObject({
  lastHour: v.strictObject({}),
  lastMinute: v.strictObject({}),
  maturity: v.literal("deprecated"),
});

const gone = (id: string, path: string) =>
  GET({
    id,
    summary: "Gone: use /api/admin/client-metrics",
    tag: "Metrics",
    path: `/api/admin/metrics/${path}`,
    permission: null,
    status: 410,
    deprecated: true,
    response: Gone,
  }).run(() => ({ lastHour: {}, lastMinute: {}, maturity: "deprecated" as const }));

export const seenToggles = gone("getSeenToggles", "seen-toggles");
export const seenApps = gone("getSeenApps", "seen-apps");
export const featureToggles = gone("getFeatureToggles", "feature-toggles");
export const featureToggle = gone("getFeatureToggle", "feature-toggles/:name");
