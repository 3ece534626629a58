import type { Database } from "../db/database.ts";
import {
  addDependencyOperation,
  dependenciesOf,
  removeDependenciesOperation,
  removeDependency,
} from "../flags/dependencies.ts";
import { disable, enable } from "../flags/feature-environments.ts";
import { isEnabled, type Scope } from "../flags/feature-environments-store.ts";
import { archiveFeatureOperation } from "../flags/features-archive.ts";
import { findFeature } from "../flags/features-store.ts";
import { deleteSegmentOperation, findSegment, updateSegment } from "../flags/segments.ts";
import { addStrategyOperation, deleteStrategy, replaceStrategy, setSortOrder } from "../flags/strategies.ts";
import { defaultStrategyFor, getsDefaultStrategy, strategiesOf } from "../flags/strategies-store.ts";
import { replaceVariantsInEnvironments, variantsIn } from "../flags/variants.ts";
import type { OperationRequest } from "../http/perform.ts";
import { environmentsOf } from "../projects/project-environments.ts";
import type { NewChange } from "./schema.ts";
import type { Row } from "./store.ts";

type Place = Pick<Row, "project" | "environment">;
type Action = NewChange["action"];
type ChangeOf<A extends Action> = Extract<NewChange, { action: A }>;

/** What proposing an action means. */
interface Definition<A extends Action> {
  /** What it is about, in words. */
  noun: string;
  /** That, as it is now; undefined if it is gone, null if nothing has to be there. */
  subject(db: Database, place: Place, change: ChangeOf<A>): unknown;
  /** The request of the API that does it. */
  request(place: Place, change: ChangeOf<A>): OperationRequest;
}

const scopeOf = ({ project, environment }: Place, feature: string): Scope => ({
  project,
  environment,
  feature,
});

/** The parameters of a flag's paths, and of those in an environment. */
const paramsOf = ({ project, environment }: Place, { feature }: { feature: string }) => ({
  projectId: project,
  featureName: feature,
  environment,
});

const strategyAt = (db: Database, place: Place, { feature, payload }: ChangeOf<"deleteStrategy">) =>
  strategiesOf(db, scopeOf(place, feature)).find(({ id }) => id === payload.id);

/** A segment of the project; those of all projects are nobody's to propose. */
const segmentIn = (db: Database, { project }: Place, { payload }: { payload: { id: number } }) => {
  const segment = findSegment(db, payload.id);
  return segment?.project === project ? segment : undefined;
};

const DEFINITIONS: { [A in Action]: Definition<A> } = {
  updateEnabled: {
    noun: "the flag's state or one of its strategies",
    // Who gets it is part of what is approved.
    subject: (db, place, { feature, payload }) => {
      const scope = scopeOf(place, feature);
      const enablesStrategies = payload.shouldActivateDisabledStrategies === true;
      const isDefault = payload.enabled && getsDefaultStrategy(db, scope, enablesStrategies);
      const added = isDefault ? [defaultStrategyFor(db, scope)] : [];
      return { enabled: isEnabled(db, scope), strategies: [...strategiesOf(db, scope), ...added] };
    },
    request: (place, { payload, ...change }) => ({
      operation: payload.enabled ? enable : disable,
      params: paramsOf(place, change),
      query: payload.shouldActivateDisabledStrategies ? { shouldActivateDisabledStrategies: "true" } : {},
    }),
  },
  addStrategy: {
    noun: "the flag",
    subject: () => null,
    request: (place, change) => ({
      operation: addStrategyOperation,
      params: paramsOf(place, change),
      body: change.payload,
    }),
  },
  updateStrategy: {
    noun: "the strategy",
    subject: (db, place, { feature, payload }) =>
      strategyAt(db, place, { action: "deleteStrategy", feature, payload }),
    request: (place, { payload: { id, ...body }, ...change }) => ({
      operation: replaceStrategy,
      params: { ...paramsOf(place, change), strategyId: id },
      body,
    }),
  },
  deleteStrategy: {
    noun: "the strategy",
    subject: strategyAt,
    request: (place, change) => ({
      operation: deleteStrategy,
      params: { ...paramsOf(place, change), strategyId: change.payload.id },
    }),
  },
  reorderStrategy: {
    noun: "the order of the strategies",
    subject: (db, place, { feature, payload }) => {
      const ids = strategiesOf(db, scopeOf(place, feature)).map(({ id }) => id);
      return payload.every(({ id }) => ids.includes(id)) ? ids : undefined;
    },
    request: (place, change) => ({
      operation: setSortOrder,
      params: paramsOf(place, change),
      body: change.payload,
    }),
  },
  patchVariant: {
    noun: "the variants",
    subject: (db, place, { feature }) => variantsIn(db, scopeOf(place, feature)),
    request: (place, { payload, ...change }) => ({
      operation: replaceVariantsInEnvironments,
      params: paramsOf(place, change),
      body: { variants: payload.variants, environments: [place.environment] },
    }),
  },
  archiveFeature: {
    noun: "the flag",
    subject: () => null,
    request: (place, change) => ({ operation: archiveFeatureOperation, params: paramsOf(place, change) }),
  },
  addDependency: {
    noun: "the dependencies of the flag",
    subject: (db, _, { feature }) => dependenciesOf(db, feature),
    request: ({ project }, { feature, payload }) => ({
      operation: addDependencyOperation,
      params: { projectId: project, child: feature },
      body: payload,
    }),
  },
  deleteDependency: {
    noun: "the dependencies of the flag",
    subject: (db, _, { feature }) => dependenciesOf(db, feature),
    request: ({ project }, { feature, payload }) => {
      const parent = payload?.feature;
      const params = { projectId: project, child: feature };
      return parent === undefined
        ? { operation: removeDependenciesOperation, params }
        : { operation: removeDependency, params: { ...params, parent } };
    },
  },
  updateSegment: {
    noun: "the segment",
    subject: segmentIn,
    request: ({ project }, { payload: { id, ...body } }) => ({
      operation: updateSegment,
      params: { id: String(id) },
      body: { ...body, project },
    }),
  },
  deleteSegment: {
    noun: "the segment",
    subject: segmentIn,
    request: (_, { payload }) => ({ operation: deleteSegmentOperation, params: { id: String(payload.id) } }),
  },
};

const definitionOf = (change: NewChange) => DEFINITIONS[change.action] as Definition<Action>;

export const requestFor = (place: Place, change: NewChange): OperationRequest =>
  definitionOf(change).request(place, change as never);

/** What a change is about, as it is now; undefined if that, or its flag, is gone, null if it is about nothing there. */
export function subjectOf(db: Database, place: Place, change: NewChange): unknown {
  if ("feature" in change && flagConflict(db, place, change.feature) !== undefined) return undefined;
  return definitionOf(change).subject(db, place, change as never);
}

/** The constraints of the segments that say for whom a change is: of the strategy it proposes, or of those it turns on. */
export function segmentsOf(db: Database, { payload }: NewChange, subject: unknown) {
  const { strategies = [] } = Object(subject) as { strategies?: object[] };
  return [Object(payload), ...strategies]
    .flatMap(({ segments = [] }: { segments?: number[] }) => segments)
    .map((id) => findSegment(db, id)?.constraints ?? null);
}

/** Why nothing can be changed about a flag, as a clause; undefined if it can. */
export function flagConflict(
  db: Database,
  { project, environment }: Place,
  name: string,
): string | undefined {
  const feature = findFeature(db, name);
  if (feature?.project !== project) return `there is no flag ${name} in the project`;
  if (feature.archived) return `the flag ${name} is archived`;
  if (environmentsOf(db, project).includes(environment)) return undefined;
  return `there is no environment ${environment} in the project`;
}

/**
 * What has happened to what a change is about since it was `before`, as a clause; undefined for nothing.
 * @param now its subject
 */
export function conflictOf(
  db: Database,
  place: Place,
  change: NewChange & { before?: unknown },
  now = subjectOf(db, place, change),
): string | undefined {
  if (now === undefined) return goneText(db, place, change);
  return JSON.stringify(now) === JSON.stringify(change.before ?? null)
    ? undefined
    : `${definitionOf(change).noun} was changed since`;
}

function goneText(db: Database, place: Place, change: NewChange) {
  if (!("feature" in change)) return "there is no such segment of the project";
  return flagConflict(db, place, change.feature) ?? "there is no such strategy";
}
