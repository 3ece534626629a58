import type { Actor } from "../../auth/actor.ts";
import { PERMISSIONS, type Permission } from "../../auth/permissions.ts";
import { holds, requirePermission } from "../../auth/require-permission.ts";
import { hiddenProjects } from "../../auth/visibility.ts";
import type { Database } from "../../db/statement.ts";
import { ApiError, invalid } from "../../http/error.ts";
import { requireLiveProject } from "../projects/require.ts";
import { errorsOf, found, importable, needsOf, parentsOf, warningsOf } from "./check.ts";
import { liveOf, type Present, present } from "./check-store.ts";
import type { Data, FeaturesImport, ImportCheck } from "./schema.ts";

/**
 * The problems that an import would meet.
 * @throws ApiError `NoAccessError` for a hidden project
 */
export function checkImport(db: Database, actor: Actor, body: FeaturesImport): ImportCheck {
  requirePermission(db, actor, { permissions: [], project: body.project });
  const there = present(db, body, body.data);
  return {
    ...findingsOf(db, actor, body, there),
    permissions: found([
      "You lack these permissions",
      missingOf(db, actor, body, there).map((name) => PERMISSIONS[name].displayName),
    ]),
  };
}

/**
 * The part of an import to carry out.
 * @throws ApiError `NoAccessError` naming the missing permissions, `ValidationError` with everything that prevents it
 */
export function requireImport(db: Database, actor: Actor, body: FeaturesImport): Data {
  requirePermission(db, actor, { permissions: [], project: body.project });
  const there = present(db, body, body.data);
  const missing = missingOf(db, actor, body, there);
  if (missing.length > 0)
    throw new ApiError("NoAccessError", `You need the permissions ${missing.join(", ")} to import this`);
  requireLiveProject(db, body.project);
  const [first, ...rest] = findingsOf(db, actor, body, there).errors.map(({ message, affectedItems }) => ({
    path: "body.data",
    message: `${message}: ${affectedItems.join(", ")}`,
  }));
  if (first) throw invalid(first, ...rest);
  return importable(body.data, there);
}

function findingsOf(db: Database, actor: Actor, body: FeaturesImport, there: Present) {
  const parents = liveOf(db, body.project, parentsOf(body.data));
  const errors = errorsOf(body, there, parents, hiddenProjects(db, actor));
  return { errors, warnings: warningsOf(body, there) };
}

const missingOf = (db: Database, actor: Actor, body: FeaturesImport, there: Present): Permission[] =>
  needsOf(body, there).filter(
    (permission) =>
      !holds(db, actor, {
        permissions: [permission],
        project: body.project,
        environment: body.environment,
      }),
  );
