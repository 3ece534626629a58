import * as v from "valibot";
import { NoBody, operation } from "../../http/operation.ts";
import { requirePerson } from "../tokens/require.ts";
import { markRead } from "./changes.ts";
import { Notification, ReadNotifications } from "./schema.ts";
import { newestNotifications } from "./store.ts";

export const listNotifications = operation({
  id: "getNotifications",
  summary: "The caller's newest notifications",
  tag: "Notifications",
  method: "GET",
  path: "/api/admin/notifications",
  permission: null,
  response: v.array(Notification),
}).run(({ db, actor }) => (actor.userId === null ? [] : newestNotifications(db, actor.userId)));

export const readNotifications = operation({
  id: "markNotificationsAsRead",
  summary: "Mark some of the caller's notifications as read",
  tag: "Notifications",
  method: "POST",
  path: "/api/admin/notifications/read",
  permission: null,
  body: ReadNotifications,
  response: NoBody,
}).change(({ tx, actor, body }) => {
  markRead(tx, requirePerson(actor), body.notifications);
});
