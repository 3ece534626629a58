import type { Database } from "../../db/statement.ts";
import { ApiError, invalid } from "../../lib/api-error.ts";
import { findInvitation, openInvitation } from "./store.ts";

/** The id of an invitation, given its secret or masked secret. @throws ApiError `NotFoundError` */
export function requireInvitation(db: Database, secret: string): number {
  const id = findInvitation(db, secret);
  if (id !== undefined) return id;
  throw new ApiError("NotFoundError", "There is no invitation with this token");
}

/** The id of an invitation that can be used now. @throws ApiError `ValidationError` */
export function requireOpenInvitation(db: Database, secret: string): number {
  const id = openInvitation(db, secret);
  if (id !== undefined) return id;
  throw invalid({ path: "path.token", message: "is unknown, has expired or is switched off" });
}
