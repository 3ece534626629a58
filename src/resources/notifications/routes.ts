import * as v from "valibot";
import { operation } from "../../http/operation.ts";
import { Notification } from "./schema.ts";
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
