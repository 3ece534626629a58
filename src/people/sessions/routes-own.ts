import * as v from "valibot";
import { requirePerson } from "../../access/require-permission.ts";
import { endSessionsOf, endSessionWith } from "../../access/session.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { ApiError } from "../../lib/api-error.ts";
import { requireUser } from "../users/require.ts";
import { UserId } from "../users/schema.ts";
import { Session } from "./schema.ts";
import { openSessions, sessionId } from "./store.ts";

const SESSIONS = "/api/admin/user/sessions";

export const listSessions = operation({
  id: "getSessions",
  summary: "The caller's sessions, newest first",
  tag: "Sessions",
  method: "GET",
  path: SESSIONS,
  permission: null,
  isUncached: true,
  response: v.strictObject({ sessions: v.array(Session) }),
}).run(({ db, actor }) => ({
  sessions: (actor.userId === null ? [] : openSessions(db, actor.userId)).map(({ hash, ...times }) => ({
    id: sessionId({ hash }),
    ...times,
    isCurrent: hash === actor.session,
  })),
}));

export const endOtherSessions = operation({
  id: "endOtherSessions",
  summary: "End the caller's other sessions",
  tag: "Sessions",
  method: "DELETE",
  path: SESSIONS,
  permission: null,
  duringMaintenance: true,
  response: NoBody,
}).change(({ tx, actor }) => void endSessionsOf(tx, requirePerson(actor), actor.session));

export const endOwnSession = operation({
  id: "endSession",
  summary: "End one of the caller's sessions",
  tag: "Sessions",
  method: "DELETE",
  path: `${SESSIONS}/:id`,
  permission: null,
  params: v.object({ id: v.string() }),
  duringMaintenance: true,
  errors: ["NotFoundError"],
  response: NoBody,
}).change(({ tx, actor, params: { id } }) => {
  const session = openSessions(tx.db, requirePerson(actor)).find((session) => sessionId(session) === id);
  if (!session) throw new ApiError("NotFoundError", `You have no session ${id}`);
  endSessionWith(tx, session.hash);
});

export const endSessionsOfUser = operation({
  id: "endUserSessions",
  summary: "End all sessions of a user; tokens stay",
  tag: "Sessions",
  method: "DELETE",
  path: "/api/admin/user-admin/:id/sessions",
  permission: "ADMIN",
  params: v.object({ id: UserId }),
  duringMaintenance: true,
  errors: ["NotFoundError"],
  response: NoBody,
}).change(({ tx, params: { id } }) => {
  requireUser(tx.db, id);
  endSessionsOf(tx, id);
});
