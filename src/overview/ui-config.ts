import * as v from "valibot";
import { query } from "../db/statement.ts";
import { GET } from "../http/operation.ts";
import { LIMITS } from "../lib/limits.ts";
import { OwnPath } from "../lib/raw-json.ts";
import { ORIGINAL, VERSION } from "../lib/version.ts";
import { currentSetting, instanceId, MAINTENANCE, ORIGINS, PASSWORDS } from "../settings/settings.ts";
import { waysOf } from "../sign-in/oidc-schema.ts";

/** The configuration of the original's page; what Flagstone lacks is off. What of it can be set is in settings/instance.ts. */
export const UiConfig = v.strictObject({
  name: v.string(),
  slogan: v.string(),
  environment: v.string(),
  version: v.string(),
  versionInfo: v.strictObject({
    current: v.strictObject({ oss: v.string(), enterprise: v.string() }),
    latest: v.strictObject({}),
    isLatest: v.boolean(),
    instanceId: v.string(),
  }),
  unleashUrl: v.string(),
  baseUriPath: v.string(),
  authenticationType: v.literal("open-source"),
  emailEnabled: v.boolean(),
  disablePasswordAuth: v.boolean(),
  oidcConfiguredThroughEnv: v.boolean(),
  maintenanceMode: v.boolean(),
  networkViewEnabled: v.boolean(),
  unleashAIAvailable: v.boolean(),
  frontendApiOrigins: v.array(v.string()),
  segmentValuesLimit: v.number(),
  strategySegmentsLimit: v.number(),
  flags: v.record(v.string(), v.boolean()),
  resourceLimits: v.record(v.string(), v.number()),
});

export const readUiConfig = GET({
  id: "getUiConfig",
  summary: "The configuration of the web page",
  tag: "Instance",
  path: "/api/admin/ui-config",
  permission: null,
  response: UiConfig,
}).run(({ db }) => {
  const { enabled: maintenanceMode } = currentSetting(db, MAINTENANCE);
  const { disabled: disablePasswordAuth } = currentSetting(db, PASSWORDS);
  return {
    ...FIXED,
    versionInfo: {
      current: { oss: ORIGINAL, enterprise: approvesAnywhere(db).get({}) ? ORIGINAL : "" },
      latest: {},
      isLatest: true,
      instanceId: instanceId(db),
    },
    unleashUrl: new OwnPath(""),
    baseUriPath: "",
    disablePasswordAuth,
    oidcConfiguredThroughEnv: waysOf(db).oidc !== undefined,
    maintenanceMode,
    frontendApiOrigins: currentSetting(db, ORIGINS).frontendApiOrigins,
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
  networkViewEnabled: false,
  unleashAIAvailable: false,
  segmentValuesLimit: LIMITS.segmentValues,
  strategySegmentsLimit: LIMITS.strategySegments,
  resourceLimits: { ...LIMITS, ...UNENFORCED },
} as const;

/** Only then does the original's page show change requests. */
const approvesAnywhere = query<object>(
  `SELECT 1 FROM project_environments WHERE required_approvals IS NOT NULL LIMIT 1`,
);
