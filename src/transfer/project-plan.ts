import { CLI } from "../access/actor.ts";
import { type Database, snapshot } from "../db/database.ts";
import { DataError } from "../db/error.ts";
import { isKnown } from "../db/known.ts";
import { type Tx, write } from "../events/write.ts";
import { archiveFeatureOperation, reviveFeatureOperation } from "../flags/features-archive.ts";
import { createFeatureOperation, patchFeature } from "../flags/features-routes.ts";
import { createSegment, deleteSegmentOperation, updateSegment } from "../flags/segments.ts";
import { fromConstraint } from "../http/failure.ts";
import { ApiError } from "../lib/api-error.ts";
import { type FlagState, type ProjectState, projectState } from "./project-state.ts";
import {
  type Action,
  type Differences,
  differences,
  type Plan,
  performIn,
  type Step,
} from "./project-step.ts";
import { planEnvironment } from "./project-strategies.ts";
import type { ProjectText, TextFlag } from "./project-text.ts";

interface Options {
  /** Removes flags and segments of the project that are not in the text. */
  prunes: boolean;
}

/** The differences between a project and a text. @throws DataError if they can't be compared */
export const compareProject = (db: Database, text: ProjectText, options: Options): Step[] =>
  snapshot(db, () => rewordErrors("the text", () => planFor(db, text, options)).steps);

/**
 * Changes a project to match a text, all or nothing.
 * @param isDryRun rolls everything back
 * @returns the steps taken
 * @throws DataError if it is not possible
 */
export function applyProject(
  db: Database,
  text: ProjectText,
  { isDryRun, ...options }: Options & { isDryRun: boolean },
): Step[] {
  let steps: Step[] = [];
  try {
    write(db, CLI, (tx) => {
      const plan = rewordErrors("the text", () => planFor(tx.db, text, options));
      steps = plan.steps;
      for (const action of plan.actions) perform(tx, action);
      if (isDryRun) throw ROLLED_BACK;
    });
  } catch (error) {
    if (error !== ROLLED_BACK) throw error;
  }
  return steps;
}

const ROLLED_BACK = new Error("A dry run");

const perform = (tx: Tx, { where, act }: Action) => rewordErrors(where, () => act(tx));

/** Rewords API errors about a request body, since the text has none. */
function rewordErrors<T>(where: string, act: () => T): T {
  try {
    return act();
  } catch (thrown) {
    const error = fromConstraint(thrown) ?? thrown;
    if (!(error instanceof ApiError)) throw error;
    throw new DataError(`${where}: ${error.message.replace(/^body[.:] ?/, "")}`);
  }
}

/**
 * Compares a project with a text.
 * @param prunes whether to remove flags and segments of the project that are not in the text
 * @throws DataError if there is no such project, or it lacks one of the environments
 */
function planFor(db: Database, text: ProjectText, { prunes }: { prunes: boolean }): Plan {
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
    planEnvironment(db, plan, { scope: { project, feature: name, environment }, current, wanted });
  }
}

type Described = Omit<TextFlag, "environments">;

function addFlag({ steps, actions }: Plan, project: string, name: string, described: Described) {
  steps.push({ action: "add", kind: "flag", name });
  const act = (tx: Tx) =>
    performIn(tx, createFeatureOperation, { projectId: project }, { name, ...described });
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
    actions.push({ where, act: (tx) => performIn(tx, reviveFeatureOperation, params) });
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
    const act = (tx: Tx) => performIn(tx, archiveFeatureOperation, { projectId: project, featureName: name });
    actions.push({ where: `flag ${name}`, act });
  }
}

/** Plans the segments in a text. */
function planSegments({ steps, actions }: Plan, { project, segments }: ProjectText, state: ProjectState) {
  for (const [name, { description, constraints }] of Object.entries(segments)) {
    const current = state.segments.get(name);
    const changes = current && differences(current, { description, constraints });
    if (changes && Object.keys(changes).length === 0) continue;
    steps.push({ action: current ? "change" : "add", kind: "segment", name, ...(changes && { changes }) });
    const { constraints: own = [] } = current ?? {};
    const body = {
      name,
      project,
      description: description ?? current?.description,
      constraints: constraints ?? own,
    };
    const act = (tx: Tx) =>
      current
        ? performIn(tx, updateSegment, { id: String(current.id) }, body)
        : performIn(tx, createSegment, {}, body);
    actions.push({ where: `segment ${name}`, act });
  }
}

/** Plans removing the segments that are not in it. */
function pruneSegments({ steps, actions }: Plan, { segments }: ProjectText, state: ProjectState) {
  for (const [name, { id }] of state.segments) {
    if (Object.hasOwn(segments, name)) continue;
    steps.push({ action: "remove", kind: "segment", name });
    actions.push({
      where: `segment ${name}`,
      act: (tx) => performIn(tx, deleteSegmentOperation, { id: String(id) }),
    });
  }
}
