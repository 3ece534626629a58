import * as v from "valibot";
import { operation } from "../../http/operation.ts";
import type { Schema } from "../../lib/validation.ts";

/** All that is left of an old API for usage (original). */
const Gone = v.strictObject({
  lastHour: v.strictObject({}),
  lastMinute: v.strictObject({}),
  maturity: v.literal("deprecated"),
});

const gone = (id: string, path: `/${string}`, params: Schema = v.object({})) =>
  operation({
    id,
    summary: "Gone: use /api/admin/client-metrics",
    tag: "Metrics",
    method: "GET",
    path: `/api/admin/metrics/${path.slice(1)}`,
    permission: null,
    params,
    status: 410,
    deprecated: true,
    response: Gone,
  }).run(() => ({ lastHour: {}, lastMinute: {}, maturity: "deprecated" as const }));

export const seenToggles = gone("getSeenToggles", "/seen-toggles");
export const seenApps = gone("getSeenApps", "/seen-apps");
export const featureToggles = gone("getFeatureToggles", "/feature-toggles");
export const featureToggle = gone(
  "getFeatureToggle",
  "/feature-toggles/:name",
  v.object({ name: v.string() }),
);
