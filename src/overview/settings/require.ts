import type { Database } from "../../db/statement.ts";
import { ApiError } from "../../lib/api-error.ts";
import { setting } from "./store.ts";

/** The current value of a setting. */
export const currentSetting = setting;

/** @throws ApiError `ServiceUnavailableError` while changes are refused for maintenance */
export function requireNoMaintenance(db: Database) {
  if (!setting(db, "maintenance.mode").enabled) return;
  throw new ApiError(
    "ServiceUnavailableError",
    "The server is in maintenance mode: changes are refused until it ends",
    { headers: { "retry-after": "60" }, isLogged: false },
  );
}
