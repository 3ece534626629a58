import type { EventType } from "../events/schema.ts";

// The events each kind of provider can receive, in the original's order.

const OF_LIFE = [
  "feature-created",
  "feature-updated",
  "feature-archived",
  "feature-revived",
  "feature-stale-on",
  "feature-stale-off",
] as const;

const OF_CONFIGURATION = [
  "feature-environment-enabled",
  "feature-environment-disabled",
  "feature-strategy-remove",
  "feature-strategy-update",
  "feature-strategy-add",
  "feature-metadata-updated",
] as const;

/** For chat services. */
export const OF_FLAGS: readonly EventType[] = [
  ...OF_LIFE,
  ...OF_CONFIGURATION,
  "feature-variants-updated",
  "feature-project-change",
  "feature-potentially-stale-on",
];

/** For monitoring services. */
export const OF_FLAGS_TO_MONITORS: readonly EventType[] = [
  ...OF_LIFE,
  ...OF_CONFIGURATION,
  "feature-project-change",
  "feature-environment-variants-updated",
  "feature-potentially-stale-on",
];

/** For webhooks. */
export const OF_WEBHOOKS: readonly EventType[] = [
  ...OF_LIFE,
  "feature-completed",
  ...OF_CONFIGURATION,
  "feature-variants-updated",
  "feature-project-change",
  "feature-tagged",
  "feature-untagged",
  "change-request-created",
  "change-request-discarded",
  "change-added",
  "change-discarded",
  "change-request-approved",
  "change-request-approval-added",
  "change-request-cancelled",
  "change-request-sent-to-review",
  "change-request-applied",
  "change-request-scheduled",
  "change-request-scheduled-application-success",
  "change-request-scheduled-application-failure",
  "change-request-schedule-suspended",
  "feature-potentially-stale-on",
];

/** For the Slack app. */
export const OF_SLACK: readonly EventType[] = [
  "addon-config-created",
  "addon-config-deleted",
  "addon-config-updated",
  "api-token-created",
  "api-token-deleted",
  "change-added",
  "change-discarded",
  "change-edited",
  "change-request-applied",
  "change-request-approval-added",
  "change-request-approved",
  "change-request-cancelled",
  "change-request-created",
  "change-request-discarded",
  "change-request-rejected",
  "change-request-sent-to-review",
  "change-request-scheduled",
  "change-request-scheduled-application-success",
  "change-request-scheduled-application-failure",
  "change-request-schedule-suspended",
  "context-field-created",
  "context-field-deleted",
  "context-field-updated",
  "feature-archived",
  "feature-created",
  "feature-deleted",
  "feature-environment-disabled",
  "feature-environment-enabled",
  "feature-environment-variants-updated",
  "feature-metadata-updated",
  "feature-potentially-stale-on",
  "feature-project-change",
  "feature-revived",
  "feature-stale-off",
  "feature-stale-on",
  "feature-strategy-add",
  "feature-strategy-remove",
  "feature-strategy-update",
  "feature-tagged",
  "feature-untagged",
  "group-created",
  "group-deleted",
  "group-updated",
  "banner-created",
  "banner-updated",
  "banner-deleted",
  "project-created",
  "project-deleted",
  "segment-created",
  "segment-deleted",
  "segment-updated",
  "service-account-created",
  "service-account-deleted",
  "service-account-updated",
  "user-created",
  "user-deleted",
  "user-updated",
];
