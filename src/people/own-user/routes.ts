import * as v from "valibot";
import { SERVICE_USER_ID } from "../../access/actor.ts";
import { heldPermissions } from "../../access/held.ts";
import { hashPassword } from "../../access/password.ts";
import { requirePerson } from "../../access/require-permission.ts";
import { hiddenProjects } from "../../access/visibility.ts";
import { snapshot } from "../../db/snapshot.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { feedbackOf, splashesOf } from "../feedback/require.ts";
import { rootRole } from "../roles/require.ts";
import { setPassword } from "../users/changes.ts";
import {
  requireOtherPassword,
  requireOwnPassword,
  requireOwnUser,
  requireStillPassword,
  requireStrongPassword,
  WEAK_PASSWORD,
} from "../users/require.ts";
import { Me, OwnRoles, PasswordChange, Profile } from "./schema.ts";
import { projectsOf, rolesOf } from "./store.ts";

export const readMe = operation({
  id: "getMe",
  summary: "The caller, with permissions and feedback",
  tag: "The caller",
  method: "GET",
  path: "/api/admin/user",
  permission: null,
  response: Me,
}).run(({ db, actor }) =>
  snapshot(db, () => {
    const permissions = heldPermissions(db, actor);
    if (actor.userId === null)
      return { user: toServiceUser(actor.createdBy), permissions, feedback: [], splash: {} };
    const { rootRole: _, ...user } = requireOwnUser(db, actor.userId);
    const { userId } = actor;
    return { user, permissions, feedback: feedbackOf(db, userId), splash: splashesOf(db, userId) };
  }),
);

export const readProfile = operation({
  id: "getProfile",
  summary: "The caller's root role and projects",
  tag: "The caller",
  method: "GET",
  path: "/api/admin/user/profile",
  permission: null,
  response: Profile,
}).run(({ db, actor }) =>
  snapshot(db, () => {
    const user = requireOwnUser(db, requirePerson(actor));
    const projects = projectsOf(db, user.id, hiddenProjects(db, actor));
    return { projects, rootRole: rootRole(db, user.rootRole), features: [] };
  }),
);

export const listOwnRoles = operation({
  id: "getUserRoles",
  summary: "The caller's roles in a project",
  tag: "The caller",
  method: "GET",
  path: "/api/admin/user/roles",
  permission: null,
  query: v.object({ projectId: v.string() }),
  response: OwnRoles,
}).run(({ db, actor, query: { projectId } }) =>
  snapshot(db, () => ({
    version: 1 as const,
    roles: rolesOf(db, requireOwnUser(db, requirePerson(actor)), projectId),
  })),
);

export const changeOwnPassword = operation({
  id: "changeMyPassword",
  summary: "Change the caller's password and end all other sessions",
  tag: "The caller",
  method: "POST",
  path: "/api/admin/user/change-password",
  permission: null,
  body: PasswordChange,
  errors: [...WEAK_PASSWORD, "PasswordPreviouslyUsedError", "PasswordMismatch", "RateLimitError"],
  response: NoBody,
})
  .prepare(async ({ db, actor, address, body: { password, oldPassword } }) => {
    const userId = requirePerson(actor);
    requireStrongPassword(password);
    const proof = await requireOwnPassword(db, { userId, password: oldPassword, address });
    await requireOtherPassword(db, userId, password);
    return { userId, proof, hash: await hashPassword(password) };
  })
  .change(({ tx, actor, prepared: { userId, proof, hash } }) => {
    requireStillPassword(tx.db, userId, proof);
    setPassword(tx, userId, { hash, keptSession: actor.session });
  });

const toServiceUser = (username: string) => ({
  isAPI: true as const,
  username,
  permissions: ["ADMIN" as const],
  environment: "*",
  type: "admin" as const,
  projects: ["*"],
  internalAdminTokenUserId: SERVICE_USER_ID,
});
