import * as v from "valibot";
import type { Database } from "../../db/statement.ts";
import { NoBody, operation } from "../../http/operation.ts";
import { cloneEnvironment as clone } from "./changes-clone.ts";
import { requireEnvironment, requireFreeName, requireProjects } from "./require.ts";
import { EnvironmentClone, EnvironmentName } from "./schema.ts";
import { flagsIn } from "./store.ts";

const ENVIRONMENTS = "/api/admin/environments";

export const validateEnvironmentName = operation({
  id: "validateEnvironmentName",
  summary: "Check whether an environment can be created with this name",
  tag: "Environments",
  method: "POST",
  path: `${ENVIRONMENTS}/validate`,
  permission: null,
  body: EnvironmentName,
  errors: ["NameExistsError"],
  response: NoBody,
}).run(({ db, body: { name } }) => requireFreeName(db, name));

export const cloneEnvironment = operation({
  id: "cloneEnvironment",
  summary: "Create a copy of an environment, with the state of all flags in some or all of its projects",
  tag: "Environments",
  method: "POST",
  path: `${ENVIRONMENTS}/:name/clone`,
  permission: "ADMIN",
  params: v.object({ name: v.string() }),
  body: EnvironmentClone,
  errors: ["NotFoundError", "NameExistsError"],
  records: ["environment-created", "project-environment-added"],
  sizeOf: ({ db, params: { name } }: { db: Database; params: { name: string } }) => flagsIn(db, name),
  response: NoBody,
}).change(({ tx, params: { name }, body }) => {
  const source = requireEnvironment(tx.db, name);
  requireFreeName(tx.db, body.name);
  requireProjects(tx.db, body.projects ?? []);
  clone(tx, source, body);
});
