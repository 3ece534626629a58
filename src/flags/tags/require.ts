import type { Database } from "../../db/statement.ts";
import type { Tag } from "../../events/schema.ts";
import { ApiError } from "../../lib/api-error.ts";
import { tagExists } from "./store.ts";

/** @throws ApiError `NotFoundError` unless there is such a tag */
export function requireTag(db: Database, tag: Tag): Tag {
  if (tagExists(db, tag)) return tag;
  throw new ApiError("NotFoundError", `There is no tag ${tag.type}:${tag.value}`);
}
