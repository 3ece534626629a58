import * as v from "valibot";
import { NonEmptyText, Timestamp } from "../../validation.ts";

export const NOTIFICATION_TYPES = ["change-request", "toggle"] as const;

/** Something that happened in a project of the caller's; unread while `readAt` is null. */
export const Notification = v.strictObject({
  id: v.number(),
  message: v.string(),
  link: v.string(),
  notificationType: v.picklist(NOTIFICATION_TYPES),
  createdBy: v.strictObject({ username: v.string(), imageUrl: v.string() }),
  createdAt: Timestamp,
  readAt: v.nullable(Timestamp),
});
export type Notification = v.InferOutput<typeof Notification>;

/** The ids of some; unknown ones are passed over. */
export const ReadNotifications = v.object({ notifications: v.array(v.pipe(v.number(), v.safeInteger())) });

/** What a user is not told of: of a kind, of a project, or of a kind in a project; null is any. */
export const Mute = v.object({
  notificationType: v.nullish(v.picklist(NOTIFICATION_TYPES), null),
  project: v.nullish(NonEmptyText, null),
});
export type Mute = v.InferOutput<typeof Mute>;

export const Mutes = v.object({ muted: v.pipe(v.array(Mute), v.maxLength(1000, "must have 1000 or less")) });
