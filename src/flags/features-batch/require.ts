import type { Actor } from "../../access/actor.ts";
import { PERMISSIONS, type Permission } from "../../access/permissions.ts";
import { holds, requirePermission } from "../../access/require-permission.ts";
import { hiddenProjects } from "../../access/visibility.ts";
import type { Database } from "../../db/statement.ts";
import { ApiError, invalid } from "../../lib/api-error.ts";
import { requireLiveProject } from "../../projects/projects-store.ts";
import { errorsOf, found, importable, parentsOf, requiredPermissions, warningsOf } from "./check.ts";
import { type Existing, existingParts, liveFlagsOf } from "./check-store.ts";
import type { Data, FeaturesImport, ImportCheck } from "./schema.ts";

/**
 * The problems that an import would run into.
 * @throws ApiError `NoAccessError` for a hidden project
 */
export function checkImport(db: Database, actor: Actor, body: FeaturesImport): ImportCheck {
  requirePermission(db, actor, { permissions: [], project: body.project });
  const existing = existingParts(db, body, body.data);
  return {
    ...findingsOf(db, actor, body, existing),
    permissions: found([
      "You lack these permissions",
      missingPermissions(db, actor, body, existing).map((name) => PERMISSIONS[name].displayName),
    ]),
  };
}

/**
 * The part of an import to carry out.
 * @throws ApiError `NoAccessError` naming the missing permissions, `ValidationError` with everything that prevents it
 */
export function requireImport(db: Database, actor: Actor, body: FeaturesImport): Data {
  requirePermission(db, actor, { permissions: [], project: body.project });
  const existing = existingParts(db, body, body.data);
  const missing = missingPermissions(db, actor, body, existing);
  if (missing.length > 0)
    throw new ApiError("NoAccessError", `You need the permissions ${missing.join(", ")} to import this`);
  requireLiveProject(db, body.project);
  const [first, ...rest] = findingsOf(db, actor, body, existing).errors.map(({ message, affectedItems }) => ({
    path: "body.data",
    message: `${message}: ${affectedItems.join(", ")}`,
  }));
  if (first) throw invalid(first, ...rest);
  return importable(body.data, existing);
}

function findingsOf(db: Database, actor: Actor, body: FeaturesImport, existing: Existing) {
  const parents = liveFlagsOf(db, body.project, parentsOf(body.data));
  const errors = errorsOf(body, existing, parents, hiddenProjects(db, actor));
  return { errors, warnings: warningsOf(body, existing) };
}

const missingPermissions = (
  db: Database,
  actor: Actor,
  body: FeaturesImport,
  existing: Existing,
): Permission[] =>
  requiredPermissions(body, existing).filter(
    (permission) =>
      !holds(db, actor, {
        permissions: [permission],
        project: body.project,
        environment: body.environment,
      }),
  );
