import * as v from "valibot";
import { SERVICE_USER_ID } from "../access/actor.ts";
import { DEFAULT_PROJECT } from "../access/permissions.ts";
import { heldPermissions, requirePerson } from "../access/require-permission.ts";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { command, fromStored, query, type Stored, toStored, valueQuery } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { GET, POST, PUT } from "../http/operation.ts";
import { NonEmptyText, Time, Timestamp } from "../lib/validation.ts";
import { Role, RoleInProject, rolesInProject, rootRole } from "./roles.ts";
import { User } from "./users-schema.ts";
import { requireAnyUser } from "./users-store.ts";

/** A user's answer to a question of the interface, and when it was given. */
export const Feedback = v.strictObject({
  userId: v.number(),
  neverShow: v.boolean(),
  feedbackId: v.string(),
  given: v.nullable(Timestamp),
});
type Feedback = v.InferOutput<typeof Feedback>;

const neverShow = v.optional(v.boolean(), false);

export const NewFeedback = v.object({ feedbackId: NonEmptyText, neverShow });

export const FeedbackUpdate = v.object({ neverShow, given: v.nullish(Time, null) });

/** Records that a user has seen an introduction to the interface. */
export const Splash = v.strictObject({ userId: v.number(), splashId: v.string(), seen: v.literal(true) });

/** A service token in place of a user; its secret is never shown. */
const ServiceUser = v.strictObject({
  isAPI: v.literal(true),
  username: v.string(),
  permissions: v.array(v.literal("ADMIN")),
  environment: v.string(),
  type: v.literal("admin"),
  projects: v.array(v.string()),
  internalAdminTokenUserId: v.number(),
});

/** The caller, with permissions and feedback. */
export const Me = v.strictObject({
  user: v.union([v.omit(User, ["rootRole"]), ServiceUser]),
  permissions: v.array(
    v.strictObject({
      permission: v.string(),
      project: v.optional(v.string()),
      environment: v.optional(v.string()),
    }),
  ),
  feedback: v.array(Feedback),
  splash: v.record(v.string(), v.boolean()),
});

/** The caller's projects and root role. */
export const Profile = v.strictObject({
  projects: v.array(v.string()),
  rootRole: Role,
  features: v.array(v.never()), // always empty (original)
});

export const OwnRoles = v.strictObject({ version: v.literal(1), roles: v.array(RoleInProject) });

const ofCaller = { tag: "The caller", permission: null } as const;

export const readMe = GET({
  ...ofCaller,
  id: "getMe",
  summary: "The caller, with permissions and feedback",
  path: "/api/admin/user",
  response: Me,
}).run(({ db, actor }) => {
  const permissions = heldPermissions(db, actor);
  const { userId } = actor;
  if (userId === null) return { user: toServiceUser(actor.createdBy), permissions, feedback: [], splash: {} };
  const { rootRole: _, ...user } = requireAnyUser(db, userId);
  return { user, permissions, feedback: feedbackOf(db, userId), splash: splashesOf(db, userId) };
});

const toServiceUser = (username: string): v.InferOutput<typeof ServiceUser> => ({
  isAPI: true,
  username,
  permissions: ["ADMIN"],
  environment: "*",
  type: "admin",
  projects: ["*"],
  internalAdminTokenUserId: SERVICE_USER_ID,
});

export const readProfile = GET({
  ...ofCaller,
  id: "getProfile",
  summary: "The caller's root role and projects",
  path: "/api/admin/user/profile",
  response: Profile,
}).run(({ db, actor }) => {
  const user = requireAnyUser(db, requirePerson(actor));
  const hidden = JSON.stringify(hiddenProjects(db, actor));
  const projects = projectsOf(db).all({ userId: user.id, hidden });
  return { projects, rootRole: rootRole(db, user.rootRole), features: [] };
});

// A root role counts as membership of the default project (original).
const projectsOf = valueQuery<{ userId: number; hidden: string }, string>(`
  SELECT id FROM projects
  WHERE archived_at IS NULL AND id NOT IN (SELECT value FROM json_each(:hidden))
    AND (id = '${DEFAULT_PROJECT}' OR id IN (SELECT project FROM project_members WHERE user_id = :userId))
  ORDER BY id`);

export const listOwnRoles = GET({
  ...ofCaller,
  id: "getUserRoles",
  summary: "The caller's roles in a project",
  path: "/api/admin/user/roles",
  query: v.object({ projectId: v.string() }),
  response: OwnRoles,
  exampleParams: { projectId: "shop" },
}).run(({ db, actor, query: { projectId: project } }) => {
  const user = requireAnyUser(db, requirePerson(actor));
  const root = { ...rootRole(db, user.rootRole), project: DEFAULT_PROJECT };
  const inProject = rolesInProject(db, user.id, project).map((role) => ({ ...role, project }));
  return { version: 1 as const, roles: [root, ...inProject] };
});

export const addFeedback = POST({
  ...ofCaller,
  id: "createFeedback",
  summary: "Store the caller's answer to a question of the interface",
  path: "/api/admin/feedback",
  body: NewFeedback,
  response: Feedback,
  example: { feedbackId: "first-steps" },
}).change(({ tx, actor, body }) =>
  giveFeedback(tx, { userId: requirePerson(actor), ...body, given: tx.now }),
);

export const updateFeedback = PUT({
  ...ofCaller,
  id: "updateFeedback",
  summary: "Change the caller's answer to a question of the interface",
  path: "/api/admin/feedback/:id",
  params: v.object({ id: NonEmptyText }),
  body: FeedbackUpdate,
  response: Feedback,
  example: { neverShow: true },
  exampleParams: { id: "first-steps" },
}).change(({ tx, actor, params: { id: feedbackId }, body }) =>
  giveFeedback(tx, { userId: requirePerson(actor), feedbackId, ...body }),
);

export const seeSplash = POST({
  ...ofCaller,
  id: "updateSplashSettings",
  summary: "Note that the caller has seen an introduction to the interface",
  path: "/api/admin/splash/:id",
  params: v.object({ id: NonEmptyText }),
  response: Splash,
  exampleParams: { id: "first-steps" },
}).change(({ tx, actor, params: { id: splashId } }) => {
  const userId = requirePerson(actor);
  setSplash(tx).run({ userId, splashId });
  return { userId, splashId, seen: true };
});

const feedback = query<{ userId: number }, Stored<Feedback>>(`
  SELECT user_id AS userId, never_show AS neverShow, feedback_id AS feedbackId, given FROM feedback
  WHERE user_id = :userId ORDER BY feedback_id`);

const setFeedback = command<Stored<Feedback>>(`
  INSERT INTO feedback (user_id, feedback_id, given, never_show) VALUES (:userId, :feedbackId, :given, :neverShow)
  ON CONFLICT DO UPDATE SET given = :given, never_show = :neverShow`);

const splashes = valueQuery<{ userId: number }, string>(`
  SELECT json_group_object(splash_id, json('true') ORDER BY splash_id) FROM splashes WHERE user_id = :userId`);

const setSplash = command<{ userId: number; splashId: string }>(`
  INSERT INTO splashes (user_id, splash_id) VALUES (:userId, :splashId) ON CONFLICT DO NOTHING`);

const feedbackOf = (db: Database, userId: number): Feedback[] =>
  feedback(db).all({ userId }).map(fromStored(Feedback));

/** The introductions that a user has seen, each with the value true. */
const splashesOf = (db: Database, userId: number): Record<string, boolean> =>
  JSON.parse(splashes(db).get({ userId })!);

/** Stores the latest answer to a question; no event is recorded (original). */
function giveFeedback(tx: Tx, feedback: Feedback): Feedback {
  setFeedback(tx).run(toStored(feedback));
  return feedback;
}
