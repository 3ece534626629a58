import * as v from "valibot";
import { kind, Name, optional, requireKnown, withoutNulls } from "../../dataset/kind.ts";
import { changedRows } from "../../db/new-file.ts";
import { setLifetime } from "./changes.ts";
import { UpdateLifetime } from "./schema.ts";
import { featureTypes } from "./store.ts";

/** Every file has the same types; a line changes the lifetime of one. */
export const featureType = kind({
  name: "featureType",
  schema: v.strictObject({ id: Name, lifetimeDays: optional(UpdateLifetime.entries.lifetimeDays) }),
  insert({ tx, db }, { id, lifetimeDays }) {
    requireKnown(db, "featureType", id, "id");
    setLifetime(tx).run({ id, lifetimeDays: lifetimeDays || null });
  },
  *rows(db) {
    for (const { id, lifetimeDays } of changedRows(db, featureTypes))
      yield withoutNulls({ id, lifetimeDays });
  },
});
