import * as v from "valibot";
import { FeatureNames } from "../features/schema.ts";
import { NewTag } from "../tags/schema.ts";

export const TagChanges = v.object({ addedTags: v.array(NewTag), removedTags: v.array(NewTag) });
export type TagChanges = v.InferOutput<typeof TagChanges>;

/** The same changes for several flags of a project. */
export const BulkTagChanges = v.object({ ...FeatureNames.entries, tags: TagChanges });
