import * as v from "valibot";
import { DefaultStrategy, SetDefaultStrategy } from "../../evaluation/strategy.ts";
import { operation } from "../../http/operation.ts";
import { requireProjectEnvironment } from "../../projects/project-environments.ts";
import { setDefaultStrategy } from "./changes-default.ts";
import { requireValidDefault } from "./rules.ts";

export const updateDefaultStrategy = operation({
  id: "addDefaultStrategyToProjectEnvironment",
  summary: "Set a project's default strategy in an environment",
  tag: "Projects",
  method: "POST",
  path: "/api/admin/projects/:projectId/environments/:environment/default-strategy",
  permission: {
    permission: ["UPDATE_PROJECT", "PROJECT_DEFAULT_STRATEGY_WRITE"],
    project: "projectId",
    environment: "environment",
  },
  params: v.object({ projectId: v.string(), environment: v.string() }),
  body: SetDefaultStrategy,
  errors: ["NotFoundError", "ExceedsLimitError"],
  records: ["default-strategy-updated"],
  response: DefaultStrategy,
}).change(({ tx, params: { projectId: project, environment }, body }) => {
  requireProjectEnvironment(tx.db, project, environment);
  const strategy = requireValidDefault(tx.db, body);
  setDefaultStrategy(tx, { project, environment }, strategy);
  return strategy;
});
