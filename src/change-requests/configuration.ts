import * as v from "valibot";
import type { Database } from "../db/database.ts";
import { command, query } from "../db/statement.ts";
import { requiredApprovals } from "../events/needs-approval.ts";
import { GET, PUT } from "../http/operation.ts";
import { presetApprovals } from "../projects/environments.ts";
import { requireProjectEnvironment } from "../projects/project-environments.ts";
import { requireProject } from "../projects/projects-store.ts";

const Configuration = v.strictObject({
  environment: v.string(),
  type: v.string(),
  changeRequestEnabled: v.boolean(),
  requiredApprovals: v.nullable(v.number()),
});

/** How many must approve is raised to 1 and lowered to 10 (original). */
const NewConfiguration = v.object({
  changeRequestsEnabled: v.boolean(),
  requiredApprovals: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 1),
});

export const readConfiguration = GET({
  id: "getProjectChangeRequestConfig",
  summary: "In which environments of a project changes must be approved, and by how many",
  tag: "Change requests",
  path: "/api/admin/projects/:projectId/change-requests/config",
  permission: { project: "projectId" },
  errors: ["NotFoundError"],
  response: v.array(Configuration),
}).run(({ db, params: { projectId: project } }) => {
  requireProject(db, project);
  return configurations(db)
    .all({ project })
    .map((row) => ({ ...row, changeRequestEnabled: row.requiredApprovals !== null }));
});

export const configureChangeRequests = PUT({
  id: "updateProjectChangeRequestConfig",
  summary: "Set whether changes in an environment of a project must be approved, and by how many",
  tag: "Change requests",
  path: "/api/admin/projects/:projectId/environments/:environment/change-requests/config",
  permission: { permission: ["UPDATE_PROJECT", "PROJECT_CHANGE_REQUEST_WRITE"], project: "projectId" },
  body: NewConfiguration,
  status: 204,
  errors: ["NotFoundError"],
  records: ["change-request-configuration-updated"],
  example: { changeRequestsEnabled: true, requiredApprovals: 2 },
}).change(({ tx, params: { projectId: project, environment }, body }) => {
  requireProjectEnvironment(tx.db, project, environment);
  const before = configurationIn(tx.db, project, environment);
  const wanted = presetApprovals(tx.db, environment) ?? Math.min(Math.max(body.requiredApprovals, 1), 10);
  const approvals = body.changeRequestsEnabled ? wanted : null;
  update(tx).run({ project, environment, approvals });
  const data = configurationIn(tx.db, project, environment);
  if (data.requiredApprovals === before.requiredApprovals) return;
  tx.record({ type: "change-request-configuration-updated", project, environment, data, preData: before });
});

function configurationIn(db: Database, project: string, environment: string) {
  const approvals = requiredApprovals(db, project, environment);
  return { changeRequestsEnabled: approvals > 0, requiredApprovals: approvals };
}

const configurations = query<
  { project: string },
  Omit<v.InferOutput<typeof Configuration>, "changeRequestEnabled">
>(`
  SELECT environment, type, project_environments.required_approvals AS requiredApprovals
  FROM project_environments JOIN environments ON name = environment
  WHERE project = :project ORDER BY sort_order, environment`);

const update = command<{ project: string; environment: string; approvals: number | null }>(`
  UPDATE project_environments SET required_approvals = :approvals
  WHERE project = :project AND environment = :environment`);
