import { DataError } from "../../db/error.ts";
import { isKnown } from "../../db/known.ts";
import type { Database } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { createFeature, patchFeature } from "../../flags/features/routes.ts";
import { archiveFeature, reviveFeature } from "../../flags/features/routes-archive.ts";
import { performIn } from "./perform.ts";
import { planEnvironment } from "./plan-environment.ts";
import { planSegments, pruneSegments } from "./plan-segments.ts";
import type { ProjectText, TextFlag } from "./schema.ts";
import { type FlagState, type ProjectState, projectState } from "./state.ts";
import { type Action, type Differences, differences, type Step } from "./step.ts";

/** The changes that make a project match a text. */
export interface Plan {
  /** For people. */
  steps: Step[];
  /** To be run in this order. */
  actions: Action[];
}

/**
 * Compares a project with a text.
 * @param prunes whether to remove flags and segments of the project that are not in the text
 * @throws DataError if there is no such project, or it lacks one of the environments
 */
export function planFor(db: Database, text: ProjectText, { prunes }: { prunes: boolean }): Plan {
  const { project } = text;
  if (!isKnown(db, "project", project)) throw new DataError(`There is no project ${project}`);
  const state = projectState(db, project);
  const plan: Plan = { steps: [], actions: [] };
  planSegments(plan, text, state);
  for (const [name, flag] of Object.entries(text.flags)) planFlag(db, plan, { text, state, name, flag });
  if (prunes) {
    pruneFlags(plan, text, state);
    pruneSegments(plan, text, state);
  }
  return plan;
}

interface Flag {
  text: ProjectText;
  state: ProjectState;
  name: string;
  flag: TextFlag;
}

function planFlag(db: Database, plan: Plan, { text: { project }, state, name, flag }: Flag) {
  const before = state.flags.get(name);
  const { environments, ...described } = flag;
  if (!before) addFlag(plan, project, name, described);
  else changeFlag(plan, project, name, before, described);
  for (const [environment, wanted] of Object.entries(environments)) {
    if (!state.environments.includes(environment))
      throw new DataError(
        `flags.${name}.environments: the project ${project} has no environment ${environment}`,
      );
    // A revived flag is off everywhere.
    const known = before?.environments.get(environment) ?? { enabled: false, strategies: [] };
    const current = before?.archived ? { ...known, enabled: false } : known;
    planEnvironment(db, plan, { place: { project, feature: name, environment }, current, wanted });
  }
}

type Described = Omit<TextFlag, "environments">;

function addFlag({ steps, actions }: Plan, project: string, name: string, described: Described) {
  steps.push({ action: "add", kind: "flag", name });
  const act = (tx: Tx) => performIn(tx, createFeature, { projectId: project }, { name, ...described });
  actions.push({ where: `flag ${name}`, act });
}

function changeFlag(
  { steps, actions }: Plan,
  project: string,
  name: string,
  current: FlagState,
  described: Described,
) {
  const where = `flag ${name}`;
  const params = { projectId: project, featureName: name };
  if (current.archived) {
    steps.push({ action: "add", kind: "flag", name, note: "from the archive" });
    actions.push({ where, act: (tx) => performIn(tx, reviveFeature, params) });
  }
  const changes: Differences = differences(current, described);
  if (Object.keys(changes).length === 0) return;
  steps.push({ action: "change", kind: "flag", name, changes });
  const patch = Object.entries(changes).map(([key, { to }]) => ({
    op: "replace",
    path: `/${key}`,
    value: to,
  }));
  actions.push({ where, act: (tx) => performIn(tx, patchFeature, params, patch) });
}

/** Flags that depend on others go first. */
function pruneFlags({ steps, actions }: Plan, { project, flags }: ProjectText, state: ProjectState) {
  const others = [...state.flags].filter(([name, { archived }]) => !archived && !Object.hasOwn(flags, name));
  for (const [name] of others.toSorted(([, a], [, b]) => Number(b.hasParents) - Number(a.hasParents))) {
    steps.push({ action: "remove", kind: "flag", name, note: "to the archive" });
    const act = (tx: Tx) => performIn(tx, archiveFeature, { projectId: project, featureName: name });
    actions.push({ where: `flag ${name}`, act });
  }
}
