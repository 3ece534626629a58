import { ApiError } from "../http/error.ts";
import type { Actor } from "./actor.ts";

/** Permissions that an operation asks for by name. */
export type Permission = "ADMIN";

/**
 * A token of the right kind for the admin API, with the permission if one is needed.
 * @throws ApiError `NoAccessError` naming what is missing.
 */
export function requirePermission(actor: Actor, permission: Permission | null) {
  if (actor.type === "client" || actor.type === "frontend") {
    throw new ApiError(
      "NoAccessError",
      `A ${actor.type} token opens nothing here: use a personal token or a service token`,
    );
  }
  if (permission !== null && !actor.isAdmin) {
    throw new ApiError("NoAccessError", `You need the permission ${permission} to do this`);
  }
}
