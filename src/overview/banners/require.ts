import { isKnown } from "../../db/known.ts";
import type { Database } from "../../db/statement.ts";
import { ApiError } from "../../lib/api-error.ts";

/** @throws ApiError `NotFoundError` */
export function requireBanner(db: Database, id: number) {
  if (!isKnown(db, "banner", id)) throw new ApiError("NotFoundError", `There is no banner with the id ${id}`);
}
