import { isSqlite, MovedError } from "../db/error.ts";
import { ApiError } from "../lib/api-error.ts";
import { TooLongError } from "../lib/limits.ts";

/** Temporary failures: another process is writing, or the disk is full or failing. Reads continue. */
const TRANSIENT: ReadonlyArray<[code: string, message: string, seconds: string]> = [
  ["SQLITE_BUSY", "The data file is locked: try again", "1"],
  ["SQLITE_FULL", "The disk is full: nothing can be changed until space is freed", "60"],
  ["SQLITE_READONLY", "The data file can't be written to: nothing can be changed until it can", "60"],
  ["SQLITE_IOERR_WRITE", "The disk can't be written to: nothing can be changed until it can", "60"],
];

/** Turns any error into one for the caller: temporary ones become 503, unexpected ones a single neutral sentence. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof TooLongError)
    return new ApiError("PayloadTooLargeError", `The change is too large: ${error.message}`);
  if (error instanceof MovedError)
    return new ApiError("ServiceUnavailableError", error.message, { cause: error.cause });
  const [, message, seconds] = TRANSIENT.find(([code]) => isSqlite(error, code)) ?? [];
  if (message && seconds) {
    const headers = { "retry-after": seconds };
    return new ApiError("ServiceUnavailableError", message, { headers, cause: error });
  }
  return new ApiError("UnknownError", "Something went wrong: see the log, under this id", {
    cause: error,
  });
}

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
