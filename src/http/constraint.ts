import { isSqlite } from "../db/error.ts";
import { ApiError } from "./error.ts";

/** What is already taken, by the column SQLite names. */
const TAKEN: Readonly<Record<string, string>> = {
  "features.name": "There is a flag with this name already, maybe an archived one",
  "projects.id": "There is a project with this id already, maybe an archived one",
  "environments.name": "There is an environment with this name already",
  "tag_types.name": "There is a tag type with this name already",
  "tags.type, tags.value": "There is a tag of this type and value already",
  "context_fields.name": "There is a context field with this name already",
  "strategy_types.name": "There is a strategy type with this name already",
  "segments.name": "There is a segment with this name already",
  "roles.name": "There is a role with this name already",
  "groups.name": "There is a group with this name already",
  "users.username": "There is a user with this username already",
  "users.email": "There is a user with this e-mail address already",
};

/**
 * The answer to a violated constraint; undefined for any other error. A duplicate is 409, and so is removing something
 * in use. References were checked before the change, so one can be missing only if it was removed meanwhile.
 */
export function fromConstraint(error: unknown): ApiError | undefined {
  if (isSqlite(error, "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_ROWID"))
    return new ApiError("NameExistsError", taken(error.message), { cause: error });
  if (isSqlite(error, "SQLITE_CONSTRAINT_FOREIGNKEY"))
    return new ApiError(
      "ConflictError",
      "Something that this refers to, or that refers to this, stands in the way",
      {
        cause: error,
      },
    );
  return undefined;
}

function taken(message: string) {
  const [, columns = ""] = /failed: (.+)/.exec(message) ?? [];
  const names = columns.split(", ").map((column) => column.split(".")[1]);
  return TAKEN[columns] ?? `There is one with the same ${names.join(" and ")} already`;
}
