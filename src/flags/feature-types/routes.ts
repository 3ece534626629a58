import * as v from "valibot";
import { operation } from "../../http/operation.ts";
import { changeLifetime } from "./changes.ts";
import { requireTypeById } from "./require.ts";
import { FeatureType, FeatureTypes, UpdateLifetime } from "./schema.ts";
import { featureTypes } from "./store.ts";

export const listFeatureTypes = operation({
  id: "getAllFeatureTypes",
  summary: "The flag types and their expected lifetimes",
  tag: "Feature types",
  method: "GET",
  path: "/api/admin/feature-types",
  permission: null,
  response: FeatureTypes,
}).run(({ db }) => ({ version: 1 as const, types: featureTypes(db) }));

export const updateLifetime = operation({
  id: "updateFeatureTypeLifetime",
  summary: "Set the expected lifetime of a flag type",
  tag: "Feature types",
  method: "PUT",
  path: "/api/admin/feature-types/:id/lifetime",
  permission: "ADMIN",
  params: v.object({ id: v.string() }),
  body: UpdateLifetime,
  errors: ["NotFoundError"],
  records: ["feature-type-updated"],
  response: FeatureType,
}).change(({ tx, params: { id }, body: { lifetimeDays } }) =>
  changeLifetime(tx, requireTypeById(tx.db, id), lifetimeDays || null),
);
