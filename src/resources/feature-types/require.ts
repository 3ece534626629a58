import { isKnown } from "../../db/known.ts";
import type { Database } from "../../db/statement.ts";
import { invalid } from "../../http/error.ts";

/** @throws ApiError `ValidationError` unless there is such a type of flags. */
export function requireFeatureType(db: Database, type: string) {
  if (!isKnown(db, "featureType", type))
    throw invalid({ path: "body.type", message: `there is no flag type ${type}` });
}
