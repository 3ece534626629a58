import * as v from "valibot";
import type { Actor } from "../../access/actor.ts";
import { hiddenProjects } from "../../access/visibility.ts";
import { snapshot } from "../../db/snapshot.ts";
import type { Database } from "../../db/statement.ts";
import { toCsv } from "../../http/csv.ts";
import { Csv, NoBody, operation, WithHeaders } from "../../http/operation.ts";
import { LIMITS } from "../../lib/limits.ts";
import { OwnPath } from "../../lib/raw-json.ts";
import { ORIGINAL, VERSION } from "../../lib/version.ts";
import { currentSetting } from "../settings/require.ts";
import { InstanceStatistics, UiConfig, UiError } from "./schema.ts";
import { instanceId, statistics } from "./store.ts";

export const readUiConfig = operation({
  id: "getUiConfig",
  summary: "The configuration of the web page",
  tag: "Instance",
  method: "GET",
  path: "/api/admin/ui-config",
  permission: null,
  response: UiConfig,
}).run(({ db }) => {
  const { enabled: maintenanceMode } = currentSetting(db, "maintenance.mode");
  return {
    ...FIXED,
    versionInfo: {
      current: { oss: ORIGINAL, enterprise: "" },
      latest: {},
      isLatest: true,
      instanceId: instanceId(db),
    },
    unleashUrl: new OwnPath(""),
    baseUriPath: "",
    maintenanceMode,
    frontendApiOrigins: currentSetting(db, "unleash.frontend").frontendApiOrigins,
    flags: { ...SHOWN, maintenanceMode },
  };
});

/** Parts of the original's page that a flag shows: frontend tokens and CORS, and the import and export of flags. */
const SHOWN = { embedProxy: true, embedProxyFrontend: true, featuresExportImport: true };

/** Further limits that the original's page computes with; here they limit nothing. */
const UNENFORCED = {
  environments: 50,
  projects: 500,
  apiTokens: 2000,
  featureFlags: 5000,
  signalEndpoints: 5,
  signalTokensPerEndpoint: 5,
  actionSetsPerProject: 5,
  actionSetActions: 10,
  actionSetFilters: 5,
  actionSetFilterValues: 25,
};

/** The part that never changes. */
const FIXED = {
  name: "Flagstone",
  slogan: VERSION,
  environment: "Open Source",
  version: ORIGINAL,
  authenticationType: "open-source",
  emailEnabled: false,
  disablePasswordAuth: false,
  networkViewEnabled: false,
  unleashAIAvailable: false,
  segmentValuesLimit: LIMITS.segmentValues,
  strategySegmentsLimit: LIMITS.strategySegments,
  resourceLimits: { ...LIMITS, ...UNENFORCED },
} as const;

export const readStatistics = operation({
  id: "getInstanceAdminStats",
  summary: "Instance statistics",
  tag: "Instance",
  method: "GET",
  path: "/api/admin/instance-admin/statistics",
  permission: null,
  response: InstanceStatistics,
  includesUsage: true,
}).run(wholeStatistics);

export const readStatisticsAsCsv = operation({
  id: "getInstanceAdminStatsCsv",
  summary: "Instance statistics as CSV, in one row",
  tag: "Instance",
  method: "GET",
  path: "/api/admin/instance-admin/statistics/csv",
  permission: null,
  response: Csv,
  includesUsage: true,
}).run((request) => {
  const stats = wholeStatistics(request);
  const name = `flagstone-${stats.instanceId}.csv`;
  return new WithHeaders(toCsv([stats]), { "content-disposition": `attachment; filename="${name}"` });
});

function wholeStatistics({ db, actor }: { db: Database; actor: Actor }): InstanceStatistics {
  return {
    ...snapshot(db, () => statistics(db, hiddenProjects(db, actor))),
    versionOSS: ORIGINAL,
    versionEnterprise: "",
    SAMLenabled: false,
    OIDCenabled: false,
  };
}

export const readTelemetry = operation({
  id: "getTelemetrySettings",
  summary: "The telemetry settings; none is ever sent",
  tag: "Instance",
  method: "GET",
  path: "/api/admin/telemetry/settings",
  permission: null,
  response: v.strictObject({
    versionInfoCollectionEnabled: v.literal(false),
    featureInfoCollectionEnabled: v.literal(false),
  }),
}).run(() => ({ versionInfoCollectionEnabled: false, featureInfoCollectionEnabled: false }));

export const recordUiError = operation({
  id: "uiObservability",
  summary: "Report an error in a page; it is not stored",
  tag: "Instance",
  method: "POST",
  path: "/api/admin/record-ui-error",
  permission: null,
  body: UiError,
  status: 204,
  response: NoBody,
}).run(() => undefined);
