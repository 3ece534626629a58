import crypto from "node:crypto";
import { command, query } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { createEnvironment } from "./changes.ts";
import type { Environment, EnvironmentClone } from "./schema.ts";

interface Copy {
  from: string;
  to: string;
  /** Their ids, as JSON. */
  projects: string;
}

const addToProjects = command<Omit<Copy, "projects"> & { wanted: string | null }>(`
  INSERT INTO project_environments (project, environment, default_strategy)
  SELECT project, :to, default_strategy FROM project_environments
  WHERE environment = :from AND (:wanted IS NULL OR project IN (SELECT value FROM json_each(:wanted)))
  ORDER BY project RETURNING project`);

// The copy does not inherit when a flag was last used.
const copyStates = command<Copy>(`
  INSERT INTO feature_environments (feature, environment, enabled, variants)
  SELECT feature, :to, enabled, variants FROM feature_environments JOIN features ON features.name = feature
  WHERE environment = :from AND project IN (SELECT value FROM json_each(:projects))`);

const strategiesIn = query<{ environment: string; projects: string }, string>(`
  SELECT strategies.id FROM features CROSS JOIN strategies ON feature = features.name AND environment = :environment
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

/**
 * Creates a copy of an environment: in those of the given projects that have it, or in all of these, with their default
 * strategies and the state, variants and strategies of their flags; and with the permissions that roles have in it, unless
 * they are not wanted.
 */
export function cloneEnvironment(tx: Tx, source: Environment, { name, ...clone }: EnvironmentClone) {
  const { type = source.type, projects, clonePermissions } = clone;
  const names = { from: source.name, to: name };
  createEnvironment(tx, { name, type, enabled: source.enabled, sortOrder: source.sortOrder });
  const wanted = projects ? JSON.stringify(projects) : null;
  const added = addToProjects(tx).all({ ...names, wanted }) as Array<{ project: string }>;
  const copy = { ...names, projects: JSON.stringify(added.map(({ project }) => project)) };
  copyStates(tx).run(copy);
  copyAllStrategies(tx, copy);
  if (clonePermissions) copyPermissions(tx).run(names);
  for (const { project } of added)
    tx.record({ type: "project-environment-added", project, environment: name });
}

function copyAllStrategies(tx: Tx, { from, to, projects }: Copy) {
  const ids = strategiesIn(tx.db).pluck().all({ environment: from, projects });
  const copies = JSON.stringify(ids.map((id) => ({ from: id, to: crypto.randomUUID() })));
  copyStrategies(tx).run({ copies, to });
  copySegments(tx).run({ copies });
}
