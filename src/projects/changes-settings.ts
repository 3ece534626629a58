import { command } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { removeProject } from "../people/tokens/changes.ts";
import { projectData } from "./overview-store.ts";
import type { ProjectSettings, ProjectUpdate } from "./schema.ts";

type Row = { id: string; name: string; description: string | null; now: string } & Record<
  "mode" | "defaultStickiness",
  string | null
>;

const update = command<Row>(`
  UPDATE projects
  SET name = :name, description = :description, mode = ifnull(:mode, mode),
    default_stickiness = ifnull(:defaultStickiness, default_stickiness), updated_at = :now
  WHERE id = :id`);

const updateSettings = command<{
  id: string;
  mode: string | null;
  featureNaming: string | null;
  now: string;
}>(`
  UPDATE projects
  SET mode = ifnull(:mode, mode), feature_naming = ifnull(:featureNaming, feature_naming), updated_at = :now
  WHERE id = :id`);

const setArchived = command<{ id: string; archivedAt: string | null }>(`
  UPDATE projects SET archived_at = :archivedAt WHERE id = :id`);

const remember = command<{ id: string }>(`
  INSERT INTO deleted_private_projects (id) SELECT id FROM projects WHERE id = :id AND mode = 'private'`);

const removeRow = command<{ id: string }>(`DELETE FROM projects WHERE id = :id`);

/** Changes a project's name, description and so on; properties that are left out stay as they are. */
export const updateProject = (tx: Tx, id: string, project: ProjectUpdate) =>
  recordUpdate(tx, id, (before) => {
    const { name, description = before.description, mode = null, defaultStickiness = null } = project;
    update(tx).run({ id, name, description, mode, defaultStickiness, now: tx.now });
  });

/** Changes a project's settings; those that are left out stay as they are. */
export const changeSettings = (tx: Tx, id: string, { mode, featureNaming }: ProjectSettings) =>
  recordUpdate(tx, id, () => {
    const naming = featureNaming === undefined ? null : JSON.stringify(featureNaming);
    updateSettings(tx).run({ id, mode: mode ?? null, featureNaming: naming, now: tx.now });
  });

function recordUpdate(tx: Tx, project: string, change: (before: ReturnType<typeof projectData>) => void) {
  const preData = projectData(tx.db, project);
  change(preData);
  tx.record({ type: "project-updated", project, data: projectData(tx.db, project), preData });
}

/** Archives a project, whose flags are already archived. */
export function archiveProject(tx: Tx, id: string) {
  setArchived(tx).run({ id, archivedAt: tx.now });
  tx.record({ type: "project-archived", project: id });
}

/** Revives an archived project; its flags stay archived. */
export function reviveProject(tx: Tx, id: string) {
  setArchived(tx).run({ id, archivedAt: null });
  tx.record({ type: "project-revived", project: id });
}

/** Permanently deletes an empty project, without flags and segments, and the tokens for it alone; its events stay. */
export function deleteEmptyProject(tx: Tx, id: string) {
  removeProject(tx, id);
  remember(tx).run({ id });
  removeRow(tx).run({ id });
  tx.record({ type: "project-deleted", project: id });
}
