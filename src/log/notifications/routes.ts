import * as v from "valibot";
import { requirePerson } from "../../access/require-permission.ts";
import { hiddenProjects } from "../../access/visibility.ts";
import { snapshot } from "../../db/database.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { markRead, setMutes } from "./changes.ts";
import { requireProjectsOf } from "./require.ts";
import { Mutes, Notification, ReadNotifications } from "./schema.ts";
import { mutes, newestNotifications } from "./store.ts";

export const listNotifications = operation({
  id: "getNotifications",
  summary: "The caller's newest notifications",
  tag: "Notifications",
  method: "GET",
  path: "/api/admin/notifications",
  permission: null,
  response: v.array(Notification),
}).run(({ db, actor }) =>
  actor.userId === null
    ? []
    : snapshot(db, () => newestNotifications(db, actor.userId!, hiddenProjects(db, actor))),
);

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

const ofMutes = {
  tag: "Notifications",
  path: "/api/admin/notifications/muted",
  permission: null,
  response: Mutes,
} as const;

export const listMutes = operation({
  ...ofMutes,
  id: "getMutedNotifications",
  summary: "What the caller has muted, by kind and project",
  method: "GET",
}).run(({ db, actor }) => ({ muted: actor.userId === null ? [] : mutes(db, actor.userId) }));

export const changeMutes = operation({
  ...ofMutes,
  id: "setMutedNotifications",
  summary: "Replace what the caller has muted",
  method: "PUT",
  body: Mutes,
}).change(({ tx, actor, body: { muted } }) => {
  const userId = requirePerson(actor);
  requireProjectsOf(tx.db, actor, muted);
  setMutes(tx, userId, muted);
  return { muted: mutes(tx.db, userId) };
});
