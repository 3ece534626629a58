import { isKnown } from "../../db/known.ts";
import type { Database } from "../../db/statement.ts";
import { ApiError, invalid } from "../../lib/api-error.ts";
import type { TagType } from "./schema.ts";
import { tagTypeNamed } from "./store.ts";

/** @throws ApiError `NotFoundError` unless there is a tag type with this name */
export function requireTagType(db: Database, name: string): TagType {
  const tagType = tagTypeNamed(db, name);
  if (tagType) return tagType;
  throw new ApiError("NotFoundError", `There is no tag type ${name}`);
}

/** @throws ApiError `NameExistsError` if there is a tag type with this name */
export function requireFreeName(db: Database, name: string) {
  if (!isKnown(db, "tagType", name)) return;
  throw new ApiError("NameExistsError", `body.name: there is already a tag type ${name}`);
}

/** @throws ApiError `ValidationError` for a tag of an unknown type; `where` begins its path */
export function requireTagTypeOf(db: Database, { type }: { type: string }, where: string) {
  if (isKnown(db, "tagType", type)) return;
  throw invalid({ path: `${where}.type`, message: `there is no tag type ${type}` });
}
