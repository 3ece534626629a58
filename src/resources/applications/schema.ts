import * as v from "valibot";
import { Timestamp } from "../../validation.ts";
import { AppName, InstanceId, Interval, Moment, SdkText } from "../usage/schema.ts";

/** Far more than any application knows. */
const MOST_STRATEGIES = 100;

/** What an SDK says when it starts. */
export const Registration = v.object({
  appName: AppName,
  instanceId: v.optional(InstanceId),
  environment: v.nullish(SdkText),
  sdkVersion: v.nullish(SdkText),
  strategies: v.pipe(
    v.array(SdkText),
    v.maxLength(MOST_STRATEGIES, `must have ${MOST_STRATEGIES} names or less`),
  ),
  started: Moment,
  interval: Interval,
});
export type Registration = v.InferOutput<typeof Registration>;

/** What is known of an application, as events tell it. */
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
