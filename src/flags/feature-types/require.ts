import { isKnown } from "../../db/known.ts";
import type { Database } from "../../db/statement.ts";
import { ApiError, invalid } from "../../lib/api-error.ts";
import type { FeatureType } from "./schema.ts";
import { featureTypeById } from "./store.ts";

/** @throws ApiError `ValidationError` unless there is such a flag type. */
export function requireFeatureType(db: Database, type: string) {
  if (!isKnown(db, "featureType", type))
    throw invalid({ path: "body.type", message: `there is no flag type ${type}` });
}

/** The flag type in a path. @throws ApiError `NotFoundError` */
export function requireTypeById(db: Database, id: string): FeatureType {
  const type = featureTypeById(db, id);
  if (type) return type;
  throw new ApiError("NotFoundError", `There is no flag type ${id}`);
}
