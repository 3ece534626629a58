import * as v from "valibot";
import { lenient } from "../http/criteria-schema.ts";
import { dictionary, Text, Timestamp } from "../lib/validation.ts";

/** The longest name that is stored, in characters, as in the original. */
const MAX_NAME_LENGTH = 255;

/** A name that an SDK gives itself or one of its parts. */
export const SdkText = v.pipe(
  Text,
  v.maxLength(MAX_NAME_LENGTH, `must have ${MAX_NAME_LENGTH} characters or fewer`),
);

export const AppName = v.pipe(SdkText, v.nonEmpty("must not be empty"));

/** Instances without an id count as one per application (original). */
export const InstanceId = v.pipe(
  v.nullish(SdkText),
  v.transform((id) => id || "default"),
);

/** A time as text or in milliseconds since 1970; converted to the latter. */
export const Moment = v.pipe(
  v.union([v.string(), v.number()], "must be a time"),
  v.transform((time) => new Date(time).valueOf()),
  v.check((time) => !Number.isNaN(time), "must be a time"),
);

const Numeric = v.pipe(
  v.number(),
  v.check((number) => number >= 0, "must be a number of 0 or more"),
  v.check((number) => number <= Number.MAX_SAFE_INTEGER, "must be less than 2^53"),
);

/** The time between two reports, in milliseconds. */
export const Interval = Numeric;

/** Rounded, since some SDKs send fractions (original). */
const Count = v.pipe(Numeric, v.transform(Math.round));

const WholeCount = v.pipe(Numeric, v.integer());

const Variants = v.nullish(dictionary(WholeCount), {});

const Counts = v.object({
  yes: v.optional(Count, 0),
  no: v.optional(WholeCount, 0),
  variants: v.optional(Variants),
});

/** What an application has counted since its last report. */
export const UsageReport = v.object({
  appName: AppName,
  instanceId: v.optional(InstanceId),
  environment: v.nullish(SdkText),
  sdkVersion: v.nullish(SdkText),
  bucket: v.object({
    start: Moment,
    stop: Moment,
    toggles: dictionary(Counts),
  }),
});
export type UsageReport = v.InferOutput<typeof UsageReport>;

/** Usage counted elsewhere, by the hour. */
export const UsageRow = v.object({
  featureName: Text,
  appName: AppName,
  environment: SdkText,
  timestamp: Moment,
  ...Counts.entries,
});
export type UsageRow = v.InferOutput<typeof UsageRow>;

const Total = v.pipe(v.number(), v.integer(), v.minValue(0));
const Envelope = { version: v.literal(1), maturity: v.literal("stable") };

export const Usage = v.strictObject({
  ...Envelope,
  featureName: v.string(),
  lastHourUsage: v.array(
    v.strictObject({ environment: v.string(), timestamp: Timestamp, yes: Total, no: Total }),
  ),
  seenApplications: v.array(v.string()),
});
export type Usage = v.InferOutput<typeof Usage>;

/** Usage within an hour; without variants if there was none. */
export const HourOfUse = v.strictObject({
  featureName: v.string(),
  appName: v.string(),
  environment: v.string(),
  timestamp: Timestamp,
  yes: Total,
  no: Total,
  variants: v.optional(v.record(v.string(), Total)),
});
export type HourOfUse = v.InferOutput<typeof HourOfUse>;

export const HoursOfUse = v.strictObject({ ...Envelope, data: v.array(HourOfUse) });

/** How many hours back; 24 for any other value (original). */
export const HoursBack = v.object({ hoursBack: lenient(1, 48, 24) });

export const isStorable = (name: string) => name !== "" && name.length <= MAX_NAME_LENGTH;
