import * as v from "valibot";
import { Feature } from "../flags/features-schema.ts";
import { StrategyType } from "../flags/strategy-types.ts";
import { lenient, Words } from "../http/criteria-schema.ts";
import { ShortText, Timestamp } from "../lib/validation.ts";
import { AppName, InstanceId, Interval, Moment, SdkText } from "./usage-schema.ts";

/** Far more than any application has. */
const MAX_STRATEGIES = 100;

export const Registration = v.object({
  appName: AppName,
  instanceId: v.optional(InstanceId),
  environment: v.nullish(SdkText),
  sdkVersion: v.nullish(SdkText),
  strategies: v.pipe(
    v.array(SdkText),
    v.maxLength(MAX_STRATEGIES, `must have ${MAX_STRATEGIES} names or fewer`),
  ),
  started: Moment,
  interval: Interval,
});
export type Registration = v.InferOutput<typeof Registration>;

/** An application's properties, as in its events. */
export const Application = v.strictObject({
  appName: v.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  description: v.nullable(v.string()),
  strategies: v.array(v.string()),
  createdBy: v.nullable(v.string()),
  url: v.nullable(v.string()),
  color: v.nullable(v.string()),
  icon: v.nullable(v.string()),
});
export type Application = v.InferOutput<typeof Application>;

const page = (maximum: number, fallback: number) =>
  v.object({
    /** Any of these words, in the name. */
    query: Words,
    offset: lenient(0, Number.MAX_SAFE_INTEGER, 0),
    limit: lenient(1, maximum, fallback),
    sortOrder: v.optional(v.string(), "asc"),
  });

/** A page of applications, by name. */
export const ApplicationSearch = page(1000, 1000);
export type ApplicationSearch = v.InferOutput<typeof ApplicationSearch>;

export const ProjectApplicationSearch = page(100, 50);

/** An application in a list, with the projects and environments of its tokens; the first is repeated (original). */
export const ListedApplication = v.strictObject({
  ...Application.entries,
  project: v.nullable(v.string()),
  environment: v.nullable(v.string()),
  usage: v.array(v.strictObject({ project: v.string(), environments: v.array(v.string()) })),
});
export type ListedApplication = v.InferOutput<typeof ListedApplication>;

export const Applications = v.strictObject({
  applications: v.array(ListedApplication),
  total: v.number(),
});

const Missing = v.strictObject({ name: v.string(), notFound: v.literal(true) });

const { createdAt, ...described } = Application.entries;

export const ApplicationDetails = v.strictObject({
  appName: described.appName,
  createdAt,
  description: described.description,
  url: described.url,
  color: described.color,
  icon: described.icon,
  strategies: v.array(v.union([StrategyType, Missing])),
  instances: v.array(
    v.strictObject({
      appName: v.string(),
      instanceId: v.string(),
      sdkVersion: v.nullable(v.string()),
      clientIp: v.nullable(v.string()),
      lastSeen: Timestamp,
      createdAt: Timestamp,
      environment: v.string(),
    }),
  ),
  seenToggles: v.array(v.union([Feature, Missing])),
  links: v.strictObject({ self: v.string() }),
});
export type ApplicationDetails = v.InferOutput<typeof ApplicationDetails>;

/** Where an application is in use, and possible problems there. */
export const ApplicationOverview = v.strictObject({
  projects: v.array(v.string()),
  featureCount: v.number(),
  environments: v.array(
    v.strictObject({
      name: v.string(),
      instanceCount: v.number(),
      sdks: v.array(v.string()),
      lastSeen: v.nullable(Timestamp),
      issues: v.strictObject({ missingFeatures: v.array(v.string()), outdatedSdks: v.array(v.string()) }),
    }),
  ),
  issues: v.strictObject({ missingStrategies: v.array(v.string()) }),
});
export type ApplicationOverview = v.InferOutput<typeof ApplicationOverview>;

export const ApplicationInstances = v.strictObject({
  instances: v.array(
    v.strictObject({
      instanceId: v.string(),
      clientIp: v.nullable(v.string()),
      sdkVersion: v.nullable(v.string()),
      lastSeen: Timestamp,
    }),
  ),
});
export type ApplicationInstances = v.InferOutput<typeof ApplicationInstances>;

/** SDKs that should be updated, and the applications that use them. */
export const OutdatedSdks = v.strictObject({
  sdks: v.array(v.strictObject({ sdkVersion: v.string(), applications: v.array(v.string()) })),
});
export type OutdatedSdks = v.InferOutput<typeof OutdatedSdks>;

/** The applications that have requested flags of a project. */
export const ProjectApplications = v.strictObject({
  applications: v.array(
    v.strictObject({
      name: v.string(),
      environments: v.array(v.string()),
      instances: v.array(v.string()),
      sdks: v.array(v.strictObject({ name: v.string(), versions: v.array(v.string()) })),
    }),
  ),
  total: v.number(),
});
export type ProjectApplications = v.InferOutput<typeof ProjectApplications>;

/** A description set by hand; properties that are left out stay as they are. */
export const ApplicationUpdate = v.object({
  description: v.nullish(ShortText),
  url: v.nullish(ShortText),
  color: v.nullish(ShortText),
  icon: v.nullish(ShortText),
  strategies: v.optional(Registration.entries.strategies),
});
export type ApplicationUpdate = v.InferOutput<typeof ApplicationUpdate>;
