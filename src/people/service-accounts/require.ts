import { type Database, query } from "../../db/statement.ts";
import { ApiError } from "../../lib/api-error.ts";

const byId = query<{ id: number }>(`SELECT 1 FROM users WHERE id = :id AND account_type = 'Service Account'`);

/** @throws ApiError `NotFoundError` unless there is a service account with this id; users don't count */
export function requireServiceAccount(db: Database, id: number) {
  if (byId(db).get({ id })) return;
  throw new ApiError("NotFoundError", `There is no service account with the id ${id}`);
}
