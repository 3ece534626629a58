import { command, query } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { addStrategy } from "./changes.ts";
import { strategiesAsValues } from "./store.ts";

const environmentsOf = query<{ project: string }, string>(`
  SELECT environment FROM project_environments JOIN environments ON environments.name = environment
  WHERE project = :project ORDER BY sort_order, environment`);

// The copy does not inherit usage, nor whether the flag is on.
const copyEnvironments = command<{ from: string; to: string; project: string }>(`
  INSERT INTO feature_environments (feature, environment, variants)
  SELECT :to, environment, variants FROM feature_environments
  WHERE feature = :from AND environment IN (SELECT environment FROM project_environments WHERE project = :project)`);

interface Copy {
  project: string;
  /** The flag to copy, and its copy. */
  from: string;
  to: string;
  /** Strategies that use the flag's name as their groupId get the copy's name instead. */
  replacesGroupId: boolean;
}

/** Gives a new flag the variants and strategies of another in all environments of its project, off everywhere. */
export function copyFeatureEnvironments(tx: Tx, { project, from, to, replacesGroupId }: Copy) {
  copyEnvironments(tx).run({ from, to, project });
  for (const environment of environmentsOf(tx.db).pluck().all({ project })) {
    for (const strategy of strategiesAsValues(tx.db, from, environment)) {
      const { groupId } = strategy.parameters;
      const parameters = {
        ...strategy.parameters,
        ...(replacesGroupId && groupId !== undefined && { groupId: to }),
      };
      const title = strategy.title ?? ""; // (original)
      addStrategy(tx, { project, feature: to, environment }, { ...strategy, title, parameters });
    }
  }
}
