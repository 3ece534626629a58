import { isKnown } from "../../db/known.ts";
import type { Database } from "../../db/statement.ts";
import { ApiError } from "../../http/error.ts";

/** @throws ApiError `NotFoundError` unless there is a project with this id, archived or not. */
export function requireProject(db: Database, id: string) {
  if (!isKnown(db, "project", id)) throw new ApiError("NotFoundError", `There is no project ${id}`);
}
