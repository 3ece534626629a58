import { isSqlite } from "../db/error.ts";
import { ApiError } from "../lib/api-error.ts";

/** The message for a duplicate, by the columns SQLite names. */
const DUPLICATE: Readonly<Record<string, string>> = {
  "features.name": "There is already a flag with this name, maybe an archived one",
  "projects.id": "There is already a project with this id, maybe an archived one",
  "environments.name": "There is already an environment with this name",
  "tag_types.name": "There is already a tag type with this name",
  "tags.type, tags.value": "There is already a tag of this type and value",
  "context_fields.name": "There is already a context field with this name",
  "strategy_types.name": "There is already a strategy type with this name",
  "segments.name": "There is already a segment with this name",
  "roles.name": "There is already a role with this name",
  "groups.name": "There is already a group with this name",
  "users.username": "There is already a user with this username",
  "users.email": "There is already a user with this e-mail address",
};

/**
 * The error for a violated constraint; undefined for any other error. A duplicate is 409, and so is removing something
 * in use. References are checked before the change, so one can be missing only if it was removed in the meantime.
 */
export function fromConstraint(error: unknown): ApiError | undefined {
  if (isSqlite(error, "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_ROWID"))
    return new ApiError("NameExistsError", duplicateMessage(error.message), { cause: error });
  if (isSqlite(error, "SQLITE_CONSTRAINT_FOREIGNKEY"))
    return new ApiError(
      "ConflictError",
      "This refers to something that is gone, or something still refers to this",
      {
        cause: error,
      },
    );
  return undefined;
}

function duplicateMessage(message: string) {
  const [, columns = ""] = /failed: (.+)/.exec(message) ?? [];
  const names = columns.split(", ").map((column) => column.split(".")[1]);
  return DUPLICATE[columns] ?? `There is already one with the same ${names.join(" and ")}`;
}
