import * as v from "valibot";
import { kind, Name, optional } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { changedRows, inNewFile } from "../db/open.ts";
import { command, query } from "../db/statement.ts";
import { GET, PUT } from "../http/operation.ts";
import { found, invalid } from "../lib/api-error.ts";

/** What a flag is for, and how long it is expected to live, in days; null means forever. */
export const FeatureType = v.strictObject({
  id: v.string(),
  name: v.string(),
  description: v.nullable(v.string()),
  lifetimeDays: v.nullable(v.number()),
});
type FeatureType = v.InferOutput<typeof FeatureType>;

export const FeatureTypes = v.strictObject({ version: v.literal(1), types: v.array(FeatureType) });

/** The longest lifetime that can be stored (original). */
const LONGEST_LIFETIME = 2 ** 31 - 1;

/** A new lifetime in days; 0 and null both mean forever. */
export const UpdateLifetime = v.object({
  lifetimeDays: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(LONGEST_LIFETIME))),
});

export const listFeatureTypes = GET({
  id: "getAllFeatureTypes",
  summary: "The flag types and their expected lifetimes",
  tag: "Feature types",
  path: "/api/admin/feature-types",
  permission: null,
  response: FeatureTypes,
}).run(({ db }) => ({ version: 1, types: featureTypes(db) }));

export const updateLifetime = PUT({
  id: "updateFeatureTypeLifetime",
  summary: "Set the expected lifetime of a flag type",
  tag: "Feature types",
  path: "/api/admin/feature-types/:id/lifetime",
  permission: "ADMIN",
  body: UpdateLifetime,
  errors: ["NotFoundError"],
  records: ["feature-type-updated"],
  response: FeatureType,
  example: { lifetimeDays: 60 },
  exampleParams: { id: "release" },
}).change(({ tx, params: { id }, body }) => {
  const preData = found(byId(tx.db).get({ id }), `flag type ${id}`);
  const data = { ...preData, lifetimeDays: body.lifetimeDays || null };
  setLifetime(tx).run(data);
  tx.record({ type: "feature-type-updated", data, preData });
  return data;
});

const COLUMNS = "id, name, description, lifetime_days AS lifetimeDays";

const inOrder = query<object, FeatureType>(`SELECT ${COLUMNS} FROM feature_types ORDER BY sort_order, id`);

const featureTypes = (db: Database) => inOrder(db).all({});

const byId = query<{ id: string }, FeatureType>(`SELECT ${COLUMNS} FROM feature_types WHERE id = :id`);

const setLifetime = command<Pick<FeatureType, "id" | "lifetimeDays">>(`
  UPDATE feature_types SET lifetime_days = :lifetimeDays WHERE id = :id`);

/** @throws ApiError `ValidationError` unless there is such a flag type. */
export function requireFeatureType(db: Database, type: string) {
  if (!isKnown(db, "featureType", type))
    throw invalid({ path: "body.type", message: `there is no flag type ${type}` });
}

/** Every file has the same types; a line changes the lifetime of one. */
export const featureType = kind({
  name: "featureType",
  schema: v.strictObject({ id: Name, lifetimeDays: optional(UpdateLifetime.entries.lifetimeDays) }),
  refers: { id: "featureType" },
  clear(tx) {
    for (const type of inNewFile(featureTypes)) setLifetime(tx).run(type);
  },
  insert: ({ tx }, { id, lifetimeDays }) => setLifetime(tx).run({ id, lifetimeDays: lifetimeDays || null }),
  rows: (db) => changedRows(db, featureTypes).map(({ id, lifetimeDays }) => ({ id, lifetimeDays })),
});
