import * as v from "valibot";
import { NonEmptyText, Timestamp } from "../../lib/validation.ts";

export const NOTIFICATION_TYPES = ["change-request", "toggle"] as const;

/** Something that happened in one of the caller's projects; unread while `readAt` is null. */
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

/** The ids of the notifications read; unknown ones are ignored. */
export const ReadNotifications = v.object({ notifications: v.array(v.pipe(v.number(), v.safeInteger())) });

/** What a user is not notified of: a kind, a project, or a kind in a project; null matches any. */
export const Mute = v.object({
  notificationType: v.nullish(v.picklist(NOTIFICATION_TYPES), null),
  project: v.nullish(NonEmptyText, null),
});
export type Mute = v.InferOutput<typeof Mute>;

export const Mutes = v.object({
  muted: v.pipe(v.array(Mute), v.maxLength(1000, "must have 1000 entries or fewer")),
});
