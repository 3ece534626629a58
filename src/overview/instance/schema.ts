import * as v from "valibot";
import { ShortText, Timestamp } from "../../lib/validation.ts";

/** The configuration of the original's page; what Flagstone lacks is off. */
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
  maintenanceMode: v.boolean(),
  networkViewEnabled: v.boolean(),
  unleashAIAvailable: v.boolean(),
  frontendApiOrigins: v.array(v.string()),
  segmentValuesLimit: v.number(),
  strategySegmentsLimit: v.number(),
  flags: v.record(v.string(), v.boolean()),
  resourceLimits: v.record(v.string(), v.number()),
});
export type UiConfig = v.InferOutput<typeof UiConfig>;

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The number of users, flags and so on in this instance. */
export const Statistics = v.strictObject({
  timestamp: Timestamp,
  instanceId: v.string(),
  users: Count,
  serviceAccounts: Count,
  apiTokens: v.record(v.string(), Count),
  activeUsers: v.strictObject({ last7: Count, last30: Count, last60: Count, last90: Count }),
  featureToggles: Count,
  archivedFeatureToggles: Count,
  projects: Count,
  contextFields: Count,
  roles: Count,
  customRootRoles: Count,
  customRootRolesInUse: Count,
  groups: Count,
  environments: Count,
  segments: Count,
  strategies: Count,
  featureExports: Count,
  featureImports: Count,
  /** Applications seen within these times. */
  clientApps: v.array(v.strictObject({ range: v.picklist(["7d", "30d", "allTime"]), count: Count })),
  /** Events in production environments, within days. */
  productionChanges: v.strictObject({ last30: Count, last60: Count, last90: Count }),
  /** Hours of use that applications reported for yesterday, and those of variants. */
  previousDayMetricsBucketsCount: v.strictObject({ enabledCount: Count, variantCount: Count }),
  /** The most strategies that a flag has in an environment, and so on. */
  maxEnvironmentStrategies: Count,
  maxConstraints: Count,
  maxConstraintValues: Count,
  /** A checksum of the figures. */
  sum: v.string(),
});
export type Statistics = v.InferOutput<typeof Statistics>;

/** The same, plus the versions that the original's clients expect. */
export const InstanceStatistics = v.strictObject({
  ...Statistics.entries,
  versionOSS: v.string(),
  versionEnterprise: v.literal(""),
  SAMLenabled: v.literal(false),
  OIDCenabled: v.literal(false),
});
export type InstanceStatistics = v.InferOutput<typeof InstanceStatistics>;

/** An error that a page reports. */
export const UiError = v.object({ errorMessage: ShortText, errorStack: v.optional(v.string()) });
