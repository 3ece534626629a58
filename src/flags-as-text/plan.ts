import { CLI } from "../access/actor.ts";
import { type Database, snapshot } from "../db/database.ts";
import { DataError } from "../db/error.ts";
import { isKnown } from "../db/known.ts";
import { write } from "../events/write.ts";
import { archiveFeatureOperation, reviveFeatureOperation } from "../flags/features-archive.ts";
import { createFeatureOperation, patchFeature } from "../flags/features-routes.ts";
import { createSegment, deleteSegmentOperation, updateSegment } from "../flags/segments.ts";
import { fromConstraint } from "../http/failure.ts";
import type { Performing } from "../http/perform.ts";
import { ApiError } from "../lib/api-error.ts";
import { type FlagState, type ProjectState, projectState } from "./state.ts";
import { type Change, changeFor, differences, type Step } from "./step.ts";
import { changesOfEnvironment } from "./strategies.ts";
import type { ProjectText, TextFlag } from "./text.ts";

interface Options {
  /** Removes flags and segments of the project that are not in the text. */
  prunes: boolean;
}

/** The differences between a project and a text. @throws DataError if they can't be compared */
export const compareProject = (db: Database, text: ProjectText, options: Options): Step[] =>
  snapshot(db, () => stepsOf(planFor(db, text, options)));

/**
 * Changes a project to match a text, all or nothing.
 * @param isDryRun rolls everything back
 * @returns the steps taken
 * @throws DataError if it is not possible
 */
export function applyProject(
  db: Database,
  text: ProjectText,
  { isDryRun, onPerformed, ...options }: Options & { isDryRun: boolean } & Pick<Performing, "onPerformed">,
): Step[] {
  let steps: Step[] = [];
  try {
    write(db, CLI, (tx) => {
      const plan = planFor(tx.db, text, options);
      steps = stepsOf(plan);
      for (const { where, act } of plan) rewordErrors(where, () => act({ ...tx, onPerformed }));
      if (isDryRun) throw ROLLED_BACK;
    });
  } catch (error) {
    if (error !== ROLLED_BACK) throw error;
  }
  return steps;
}

const ROLLED_BACK = new Error("A dry run");

const planFor = (db: Database, text: ProjectText, options: Options): Change[] =>
  rewordErrors("the text", () => [...changesOf(db, text, options)]);

const stepsOf = (plan: readonly Change[]) => plan.flatMap(({ steps }) => steps);

/** Rewords API errors about a request body, since the text has none. */
export function rewordErrors<T>(where: string, act: () => T): T {
  try {
    return act();
  } catch (thrown) {
    const error = fromConstraint(thrown) ?? thrown;
    if (!(error instanceof ApiError)) throw error;
    throw new DataError(`${where}: ${error.message.replace(/^body[.:] ?/, "")}`);
  }
}

/**
 * The changes that make a project match a text, in the order in which they are possible.
 * @throws DataError if there is no such project, or it lacks one of the environments
 */
function* changesOf(db: Database, text: ProjectText, { prunes }: Options): Generator<Change> {
  const { project, flags } = text;
  if (!isKnown(db, "project", project)) throw new DataError(`There is no project ${project}`);
  const state = projectState(db, project);
  yield* changesOfSegments(project, text.segments, state.segments);
  for (const [name, flag] of Object.entries(flags)) yield* changesOfFlag(db, { project, state, name, flag });
  if (!prunes) return;
  yield* removalsOfFlags(text, state);
  yield* removalsOfSegments(text, state);
}

/** A flag of a project as it is, if there is one, and as it should be. */
interface Flag {
  project: string;
  state: ProjectState;
  name: string;
  flag: TextFlag;
}

/** @throws DataError if the project lacks one of the environments, or the flag would be on without a strategy */
export function* changesOfFlag(db: Database, { project, state, name, flag }: Flag): Generator<Change> {
  const before = state.flags.get(name);
  const { environments, ...described } = flag;
  if (before) yield* changesOfKnownFlag(project, name, before, described);
  else
    yield changeFor(
      { action: "add", kind: "flag", name },
      createFeatureOperation,
      { projectId: project },
      { name, ...described },
    );
  for (const [environment, wanted] of Object.entries(environments)) {
    if (!state.environments.includes(environment))
      throw new DataError(
        `flags.${name}.environments: the project ${project} has no environment ${environment}`,
      );
    // A revived flag is off everywhere.
    const known = before?.environments.get(environment) ?? { enabled: false, strategies: [] };
    const current = before?.archived ? { ...known, enabled: false } : known;
    yield* changesOfEnvironment(db, { scope: { project, feature: name, environment }, current, wanted });
  }
}

function* changesOfKnownFlag(
  project: string,
  name: string,
  current: FlagState,
  described: Omit<TextFlag, "environments">,
): Generator<Change> {
  const params = { projectId: project, featureName: name };
  if (current.archived)
    yield changeFor(
      { action: "add", kind: "flag", name, note: "from the archive" },
      reviveFeatureOperation,
      params,
    );
  const changes = differences(current, described);
  if (Object.keys(changes).length === 0) return;
  const patch = Object.entries(changes).map(([key, { to }]) => ({
    op: "replace",
    path: `/${key}`,
    value: to,
  }));
  yield changeFor({ action: "change", kind: "flag", name, changes }, patchFeature, params, patch);
}

/** Of a flag to the archive. */
export const archiving = ({ project, name }: { project: string; name: string }): Change =>
  changeFor({ action: "remove", kind: "flag", name, note: "to the archive" }, archiveFeatureOperation, {
    projectId: project,
    featureName: name,
  });

/** Flags that depend on others go first. */
function* removalsOfFlags({ project, flags }: ProjectText, state: ProjectState): Generator<Change> {
  const others = [...state.flags].filter(([name, { archived }]) => !archived && !Object.hasOwn(flags, name));
  for (const [name] of others.toSorted(([, a], [, b]) => Number(b.hasParents) - Number(a.hasParents)))
    yield archiving({ project, name });
}

/** @param project null for segments of no project */
export function* changesOfSegments(
  project: string | null,
  wanted: ProjectText["segments"],
  states: ProjectState["segments"],
): Generator<Change> {
  for (const [name, { description, constraints }] of Object.entries(wanted)) {
    const current = states.get(name);
    const body = {
      name,
      ...(project !== null && { project }),
      description: description ?? current?.description,
      constraints: constraints ?? current?.constraints ?? [],
    };
    if (!current) {
      yield changeFor({ action: "add", kind: "segment", name }, createSegment, {}, body);
      continue;
    }
    const changes = differences(current, { description, constraints });
    const params = { id: String(current.id) };
    if (Object.keys(changes).length > 0)
      yield changeFor({ action: "change", kind: "segment", name, changes }, updateSegment, params, body);
  }
}

function* removalsOfSegments({ segments }: ProjectText, state: ProjectState): Generator<Change> {
  for (const [name, { id }] of state.segments)
    if (!Object.hasOwn(segments, name))
      yield changeFor({ action: "remove", kind: "segment", name }, deleteSegmentOperation, {
        id: String(id),
      });
}
