import type { Database } from "../../db/statement.ts";
import { ApiError } from "../../lib/api-error.ts";
import { type Reset, resetBySecret } from "./store.ts";

/** @throws ApiError `InvalidTokenError` for a secret that is unknown, used or expired */
export function requireReset(db: Database, secret: string): Reset {
  const reset = resetBySecret(db, secret);
  if (reset) return reset;
  throw new ApiError("InvalidTokenError", "This link is unknown, has been used, or is older than a day");
}
