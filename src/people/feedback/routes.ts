import * as v from "valibot";
import { requirePerson } from "../../access/require-permission.ts";
import { operation } from "../../http/operation.ts";
import { NonEmptyText } from "../../lib/validation.ts";
import { giveFeedback, markSplashSeen } from "./changes.ts";
import { Feedback, FeedbackUpdate, NewFeedback, Splash } from "./schema.ts";

export const addFeedback = operation({
  id: "createFeedback",
  summary: "Store the caller's answer to a question of the interface",
  tag: "The caller",
  method: "POST",
  path: "/api/admin/feedback",
  permission: null,
  body: NewFeedback,
  response: Feedback,
}).change(({ tx, actor, body }) =>
  giveFeedback(tx, { userId: requirePerson(actor), ...body, given: tx.now }),
);

export const updateFeedback = operation({
  id: "updateFeedback",
  summary: "Change the caller's answer to a question of the interface",
  tag: "The caller",
  method: "PUT",
  path: "/api/admin/feedback/:id",
  permission: null,
  params: v.object({ id: NonEmptyText }),
  body: FeedbackUpdate,
  response: Feedback,
}).change(({ tx, actor, params: { id: feedbackId }, body }) =>
  giveFeedback(tx, { userId: requirePerson(actor), feedbackId, ...body }),
);

export const seeSplash = operation({
  id: "updateSplashSettings",
  summary: "Note that the caller has seen an introduction to the interface",
  tag: "The caller",
  method: "POST",
  path: "/api/admin/splash/:id",
  permission: null,
  params: v.object({ id: NonEmptyText }),
  response: Splash,
}).change(({ tx, actor, params: { id } }) => markSplashSeen(tx, requirePerson(actor), id));
