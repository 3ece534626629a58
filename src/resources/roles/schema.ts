import * as v from "valibot";

/** A role as the API shows it; a custom one for the whole instance is `root-custom` here (original). */
export const Role = v.strictObject({
  id: v.pipe(v.number(), v.integer()),
  name: v.string(),
  type: v.picklist(["root", "project", "custom", "root-custom"]),
  description: v.string(),
});
export type Role = v.InferOutput<typeof Role>;

/** A role that somebody has, and where. */
export const RoleInProject = v.strictObject({ ...Role.entries, project: v.nullable(v.string()) });
export type RoleInProject = v.InferOutput<typeof RoleInProject>;
