import { type Database, snapshot } from "../db/database.ts";
import { isKnown } from "../db/known.ts";
import { valueQuery } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { contextField, createContextField } from "../flags/context-fields.ts";
import {
  createContextFieldOfProject,
  createContextFieldOperation,
  updateContextField,
  updateContextFieldOfProject,
} from "../flags/context-fields-routes.ts";
import { disable } from "../flags/feature-environments.ts";
import {
  createStrategyType,
  isBuiltInStrategyType,
  strategyType,
  updateStrategyType,
} from "../flags/strategy-types.ts";
import { createTagTypeOperation, tagType, updateTagType } from "../flags/tag-types.ts";
import { changesOfFlag, changesOfSegments } from "../flags-as-text/plan.ts";
import { type FlagState, type ProjectState, projectState, segmentStates } from "../flags-as-text/state.ts";
import { type Change, changeFor, differences, type Step } from "../flags-as-text/step.ts";
import type { TextEnvironment, TextFlag } from "../flags-as-text/text.ts";
import type { Operation } from "../http/operation.ts";
import { performIn } from "../http/perform.ts";
import { addEnvironmentToProject } from "../projects/project-environments.ts";
import { project } from "../projects/projects-dataset.ts";
import { createProject, updateProject } from "../projects/projects-routes.ts";
import { allOf, type Leave, type Of } from "./outgoing-lines.ts";
import { changesOfParts } from "./push-parts.ts";

/*
 * What has to change on a server so that it has our flags and all that they need. What only it has stays there.
 */

/** What to push. */
export interface PushOptions {
  /** Ours. */
  ours: Database;
  /** A copy of the server's flags: each change is made in it before the next one is looked for. */
  theirs: Database;
  /** All that are not archived, if there are none. */
  projects: readonly string[];
}

type Sides = PushOptions & { leave: Leave };

/** The changes, in an order in which each is possible. */
export function* changesToPush(sides: Sides, tx: Tx): Generator<Change> {
  admitUnknownFields(sides, tx);
  const projects = ourProjects(sides);
  const ids = projects.map(({ id }) => id);
  for (const one of projects) yield* changesOfProject(sides, one);
  yield* changesOfDefinitions(sides, ids);
  yield* changesOfSegmentsIn(sides, null);
  for (const id of ids) yield* changesOfFlags(sides, id);
  yield* changesOfParts(sides, ids);
}

const fieldsWithoutDefinition = valueQuery<object, string>(`
  SELECT DISTINCT context_field FROM strategy_context_fields
  WHERE context_field NOT IN (SELECT name FROM context_fields) ORDER BY context_field`);

/** An Unleash lets strategies use any field, and so does the copy of the server, until that says otherwise. */
function admitUnknownFields({ ours, theirs }: Sides, tx: Tx) {
  for (const name of fieldsWithoutDefinition(ours).all({}))
    if (!isKnown(theirs, "contextField", name)) createContextField(tx, { name, stickiness: false });
}

type Project = Of<typeof project>;

function ourProjects({ ours, projects }: Sides): Project[] {
  const isWanted = ({ id, archivedAt }: Project) =>
    projects.length === 0 ? archivedAt === null : projects.includes(id);
  return [...allOf(project, ours)].filter(isWanted);
}

/** How things of a kind are created and changed by name. */
interface Definition {
  noun: "tag type" | "context field" | "strategy type";
  name: string;
  properties: object;
  /** The operations with their parameters. */
  create: [Operation, Record<string, string>];
  update: [Operation, Record<string, string>];
}

function* changesOfDefinitions({ ours, theirs }: Sides, projects: readonly string[]): Generator<Change> {
  const known = new Map([...definitionsIn(theirs, projects)].map((one) => [`${one.noun} ${one.name}`, one]));
  for (const one of definitionsIn(ours, projects)) {
    const current = known.get(`${one.noun} ${one.name}`);
    const changes = current && differences(current.properties, one.properties);
    if (changes && Object.keys(changes).length === 0) continue;
    const [operation, params] = changes ? one.update : one.create;
    const step: Step = {
      action: changes ? "change" : "add",
      kind: one.noun,
      name: one.name,
      ...(changes && { changes }),
    };
    const body = { ...one.properties, ...(!changes && { name: one.name }) };
    yield changeFor(step, operation, params, body);
  }
}

/** The strategy types that are built in, and the context fields of other projects, are each one's own. */
function* definitionsIn(db: Database, projects: readonly string[]): Generator<Definition> {
  for (const { name, description, icon } of allOf(tagType, db))
    yield {
      ...{ noun: "tag type", name, properties: { description: description || null, icon: icon || null } },
      create: [createTagTypeOperation, {}],
      update: [updateTagType, { name }],
    };
  for (const field of allOf(contextField, db))
    if (field.project === null || projects.includes(field.project)) yield toDefinition(field);
  for (const { name, title, description, parameters } of allOf(strategyType, db))
    if (!isBuiltInStrategyType(db, name))
      yield {
        ...{ noun: "strategy type", name, properties: { title: title || null, description, parameters } },
        create: [createStrategyType, {}],
        update: [updateStrategyType, { name }],
      };
}

function toDefinition({ name, project, createdAt: _, ...line }: Of<typeof contextField>): Definition {
  const properties = { ...line, description: line.description || null };
  const field = { noun: "context field", name, properties } as const;
  if (project === null)
    return {
      ...field,
      create: [createContextFieldOperation, {}],
      update: [updateContextField, { contextField: name }],
    };
  const params = { projectId: project };
  return {
    ...field,
    create: [createContextFieldOfProject, params],
    update: [updateContextFieldOfProject, { ...params, contextField: name }],
  };
}

function* changesOfProject({ theirs, leave }: Sides, line: Project): Generator<Change> {
  const { id, name, description, mode, defaultStickiness } = line;
  const environments = line.environments.filter((one) => isKnown(theirs, "environment", one));
  for (const one of line.environments)
    if (!environments.includes(one))
      leave("environment", "not there, so nothing that flags have in it is", `${one} of ${id}`);
  const current = [...allOf(project, theirs)].find((one) => one.id === id);
  if (!current) {
    const body = { id, name, description, mode, defaultStickiness, environments };
    return yield changeFor({ action: "add", kind: "project", name: id }, createProject, {}, body);
  }
  const changes = differences(current, { name, description });
  const [step, params] = [{ action: "change", kind: "project", name: id } as const, { projectId: id }];
  if (Object.keys(changes).length > 0)
    yield changeFor({ ...step, changes }, updateProject, params, { name, description });
  for (const environment of environments.filter((one) => !current.environments.includes(one))) {
    const note = `gets the environment ${environment}`;
    yield changeFor({ ...step, note }, addEnvironmentToProject, params, { environment });
  }
}

function changesOfSegmentsIn({ ours, theirs }: Sides, project: string | null) {
  return changesOfSegments(
    project,
    Object.fromEntries(segmentStates(ours, project)),
    segmentStates(theirs, project),
  );
}

function* changesOfFlags(sides: Sides, project: string): Generator<Change> {
  const { theirs, ours, leave } = sides;
  if (!isKnown(theirs, "project", project)) return; // it could not be created
  yield* changesOfSegmentsIn(sides, project);
  const state = projectState(theirs, project);
  const { flags, environments } = snapshot(ours, () => projectState(ours, project));
  const shared = environments.filter((one) => state.environments.includes(one));
  const live = [...flags].filter(([, { archived }]) => !archived);
  for (const [name, flag] of live) yield* turnedOff({ project, name, flag, shared, state });
  for (const [name, flag] of live) {
    const isArchived = state.flags.get(name)?.archived;
    if (isArchived)
      leave("flag", "comes from the archive, which doesn't tell its strategies: push again", name);
    const text = toText(flag, name, isArchived ? [] : shared, leave);
    yield* changesOfFlag(theirs, { project, state, name, flag: text });
  }
}

interface Shared {
  project: string;
  name: string;
  flag: FlagState;
  /** The environments that both sides have. */
  shared: readonly string[];
  state: ProjectState;
}

/** Before its strategies change: with others, or none, it would be on for the wrong ones. */
function* turnedOff({ project, name, flag, shared, state }: Shared): Generator<Change> {
  const known = state.flags.get(name);
  for (const environment of known && !known.archived ? shared : []) {
    const current = known?.environments.get(environment);
    if (!current?.enabled || flag.environments.get(environment)?.enabled) continue;
    current.enabled = false;
    const changes = { enabled: { from: true, to: false } };
    yield {
      where: `flag ${name} in ${environment}`,
      steps: [{ action: "change", kind: "state", name, environment, changes }],
      act: (tx) => performIn(tx, disable, { projectId: project, featureName: name, environment }),
    };
  }
}

const toText = (flag: FlagState, name: string, shared: readonly string[], leave: Leave): TextFlag => {
  const { type, description, stale, impressionData } = flag;
  const inOne = (environment: string): [string, TextEnvironment] => {
    const { enabled, strategies } = flag.environments.get(environment) ?? { enabled: false, strategies: [] };
    const canBeTold = !enabled || strategies.some(({ disabled }) => !disabled);
    if (!canBeTold)
      leave("flag", "is on without an enabled strategy, which can't be told", `${name} in ${environment}`);
    const wanted = strategies.map(({ id: _, ...strategy }) => strategy);
    return [environment, { strategies: wanted, ...(canBeTold && { enabled }) }];
  };
  return { type, description, stale, impressionData, environments: Object.fromEntries(shared.map(inOne)) };
};
