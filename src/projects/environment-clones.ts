import crypto from "node:crypto";
import type * as v from "valibot";
import { command, valueQuery } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { POST } from "../http/operation.ts";
import { addEnvironment, EnvironmentClone, requireEnvironment, requireFreeName } from "./environments.ts";
import { requireAllExist } from "./projects-store.ts";

/**
 * The copy is in those of the given projects that have the environment, or in all of these, with their default
 * strategies and the state, variants and strategies of their flags; and with the permissions that roles have in it,
 * unless they are not wanted.
 */
export const cloneEnvironment = POST({
  id: "cloneEnvironment",
  summary: "Create a copy of an environment, with the state of all flags in some or all of its projects",
  tag: "Environments",
  path: "/api/admin/environments/:name/clone",
  permission: "ADMIN",
  body: EnvironmentClone,
  errors: ["NotFoundError", "NameExistsError"],
  records: ["environment-created", "project-environment-added"],
  example: { name: "staging", type: "pre-production" },
  exampleParams: { name: "production" },
}).change(({ tx, params, body }) => cloneInto(tx, params.name, body));

/** @throws ApiError `NotFoundError`, `NameExistsError` */
export function cloneInto(
  tx: Tx,
  from: string,
  { name: to, ...clone }: v.InferOutput<typeof EnvironmentClone>,
) {
  const {
    type,
    enabled,
    sortOrder,
    askBeforeChange = false,
    requiredApprovals = null,
  } = requireEnvironment(tx.db, from);
  requireFreeName(tx.db, to);
  requireAllExist(tx.db, "project", clone.projects ?? [], "body.projects");
  addEnvironment(tx, {
    name: to,
    type: clone.type ?? type,
    enabled,
    sortOrder,
    askBeforeChange,
    requiredApprovals,
  });
  const wanted = clone.projects ? JSON.stringify(clone.projects) : null;
  const added = addToProjects(tx).all({ from, to, wanted }) as Array<{ project: string }>;
  const projects = added.map(({ project }) => project);
  copyFlags(tx, { from, to, projects: JSON.stringify(projects) });
  if (clone.clonePermissions) copyPermissions(tx).run({ from, to });
  for (const project of projects) tx.record({ type: "project-environment-added", project, environment: to });
}

function copyFlags(tx: Tx, copy: Copy) {
  copyStates(tx).run(copy);
  const ids = strategiesIn(tx.db).all(copy);
  const copies = JSON.stringify(ids.map((id) => ({ from: id, to: crypto.randomUUID() })));
  copyStrategies(tx).run({ copies, to: copy.to });
  copySegments(tx).run({ copies });
}

interface Copy {
  from: string;
  to: string;
  /** Their ids, as JSON. */
  projects: string;
}

const addToProjects = command<Omit<Copy, "projects"> & { wanted: string | null }>(`
  INSERT INTO project_environments (project, environment, default_strategy, required_approvals)
  SELECT project, :to, default_strategy, required_approvals FROM project_environments
  WHERE environment = :from AND (:wanted IS NULL OR project IN (SELECT value FROM json_each(:wanted)))
  ORDER BY project RETURNING project`);

// The copy does not inherit when a flag was last used.
const copyStates = command<Copy>(`
  INSERT INTO feature_environments (feature, environment, enabled, variants)
  SELECT feature, :to, enabled, variants FROM feature_environments JOIN features ON features.name = feature
  WHERE environment = :from AND project IN (SELECT value FROM json_each(:projects))`);

const strategiesIn = valueQuery<Copy, string>(`
  SELECT strategies.id FROM features CROSS JOIN strategies ON feature = features.name AND environment = :from
  WHERE project IN (SELECT value FROM json_each(:projects))`);

/** The ids of strategies and of their copies, as JSON. */
interface Copied {
  copies: string;
}

const copyStrategies = command<Copied & { to: string }>(`
  INSERT INTO strategies (id, feature, environment, name, title, disabled, sort_order, constraints, variants,
    parameters)
  SELECT copy.value ->> 'to', feature, :to, name, title, disabled, sort_order, constraints, variants, parameters
  FROM json_each(:copies) AS copy JOIN strategies ON strategies.id = copy.value ->> 'from'`);

const copySegments = command<Copied>(`
  INSERT INTO strategy_segments (strategy, segment)
  SELECT copy.value ->> 'to', segment
  FROM json_each(:copies) AS copy JOIN strategy_segments ON strategy = copy.value ->> 'from'`);

const copyPermissions = command<Omit<Copy, "projects">>(`
  INSERT INTO role_permissions (role_id, name, environment)
  SELECT role_id, name, :to FROM role_permissions WHERE environment = :from`);
