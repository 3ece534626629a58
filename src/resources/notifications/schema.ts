import * as v from "valibot";
import { Timestamp } from "../../validation.ts";

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
