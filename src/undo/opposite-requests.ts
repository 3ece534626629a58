import { isDeepStrictEqual } from "node:util";
import { configureChangeRequests } from "../change-requests/configuration.ts";
import type { Database } from "../db/database.ts";
import type { EventType } from "../events/schema.ts";
import {
  createContextFieldOfProject,
  createContextFieldOperation,
  deleteContextFieldOfProject,
  deleteContextFieldOperation,
  updateContextField,
  updateContextFieldOfProject,
} from "../flags/context-fields-routes.ts";
import { addDependencyOperation, removeDependency } from "../flags/dependencies.ts";
import { disable, enable } from "../flags/feature-environments.ts";
import { createFeatureLink, deleteFeatureLink, linksOf, updateFeatureLink } from "../flags/feature-links.ts";
import { addTag, removeTag } from "../flags/feature-tags.ts";
import { updateLifetime } from "../flags/feature-types.ts";
import { archiveFeatureOperation, reviveFeatureOperation } from "../flags/features-archive.ts";
import { moveFeatureOperation, patchFeature, staleFeatures } from "../flags/features-routes.ts";
import { completeFeature, uncompleteFeature } from "../flags/lifecycle.ts";
import { createSegment, deleteSegmentOperation, updateSegment } from "../flags/segments.ts";
import {
  addStrategyOperation,
  deleteStrategy,
  replaceStrategy,
  setSortOrder,
  updateDefaultStrategy,
} from "../flags/strategies.ts";
import { deprecateStrategyType, reactivateStrategyType } from "../flags/strategy-types.ts";
import { replaceVariantsInEnvironments } from "../flags/variants.ts";
import type { Operation } from "../http/operation.ts";
import type { OperationRequest } from "../http/perform.ts";
import { updateEnvironment } from "../projects/environments-routes.ts";
import { archiveProject, changeSettings, reviveProject, updateProject } from "../projects/projects-routes.ts";
import { createBanner, deleteBanner, updateBanner } from "../settings/banners.ts";
import type { Change } from "./opposites.ts";

/** An operation, its parameters and its body. */
type Asked = readonly [operation: Operation, params: Record<string, unknown>, body?: unknown];

/** A change with whatever states there are; the log may contain anything. */
interface Described extends Change {
  after: Record<string, unknown>;
  before: Record<string, unknown>;
}

const flag = ({ project, featureName }: Change) => ({ projectId: project, featureName });
const place = (change: Change) => ({ ...flag(change), environment: change.environment });

/** The request that makes a change, by what it records. */
const REQUESTS: Partial<Record<EventType, (change: Described, db: Database) => Asked | Asked[]>> = {
  "feature-environment-enabled": (change) => [enable, place(change)],
  "feature-environment-disabled": (change) => [disable, place(change)],
  "feature-strategy-add": (change) => [addStrategyOperation, place(change), whole(change.after)],
  "feature-strategy-remove": (change) => [deleteStrategy, { ...place(change), strategyId: change.before.id }],
  "feature-strategy-update": (change) => [
    replaceStrategy,
    { ...place(change), strategyId: change.after.id },
    withoutSame("sortOrder", whole(change.after), change.before),
  ],
  "strategy-order-changed": (change) => [
    setSortOrder,
    place(change),
    listOf(change.after.strategyIds)?.map((id, sortOrder) => ({ id, sortOrder })),
  ],
  "feature-environment-variants-updated": (change) => [
    replaceVariantsInEnvironments,
    flag(change),
    { variants: change.after.variants, environments: [change.environment] },
  ],
  "feature-metadata-updated": (change) => {
    const keys = ["type", "description", "stale", "impressionData", "archived"] as const;
    const changed = keys.filter((key) => change.after[key] !== change.before[key]);
    const patch = changed.map((key) => ({ op: "replace", path: `/${key}`, value: change.after[key] }));
    return patch.length === 0 ? [] : [patchFeature, flag(change), patch];
  },
  "feature-stale-on": ({ project, featureName }) => [
    staleFeatures,
    { projectId: project },
    { features: [featureName], stale: true },
  ],
  "feature-stale-off": ({ project, featureName }) => [
    staleFeatures,
    { projectId: project },
    { features: [featureName], stale: false },
  ],
  "feature-tagged": ({ featureName, after }) => [addTag, { featureName }, after],
  "feature-untagged": ({ featureName, before: { type, value } }) => [removeTag, { featureName, type, value }],
  "feature-link-added": (change) => [createFeatureLink, flag(change), change.after],
  "feature-link-removed": (change, db) => [
    deleteFeatureLink,
    { ...flag(change), linkId: linkId(db, change) },
  ],
  "feature-link-updated": (change, db) => [
    updateFeatureLink,
    { ...flag(change), linkId: linkId(db, change) },
    change.after,
  ],
  "feature-type-updated": ({ after: { id, lifetimeDays } }) => [updateLifetime, { id }, { lifetimeDays }],
  "feature-archived": (change) => [archiveFeatureOperation, flag(change)],
  "feature-revived": ({ featureName }) => [reviveFeatureOperation, { featureName }],
  "feature-project-change": ({ featureName, after: { oldProject, newProject } }) => [
    moveFeatureOperation,
    { projectId: oldProject, featureName },
    { newProjectId: newProject },
  ],
  "feature-completed": (change) => [completeFeature, flag(change), change.after],
  "feature-uncompleted": (change) => [uncompleteFeature, flag(change)],
  "feature-dependency-added": ({ project, featureName, after }) => [
    addDependencyOperation,
    { projectId: project, child: featureName },
    after,
  ],
  "feature-dependency-removed": ({ project, featureName, after }) => [
    removeDependency,
    { projectId: project, child: featureName, parent: after.feature },
  ],
  "segment-created": ({ after }) => [createSegment, {}, after],
  "segment-updated": ({ after }) => [updateSegment, { id: after.id }, after],
  "segment-deleted": ({ before: { id } }) => [deleteSegmentOperation, { id }],
  "context-field-created": ({ after }) =>
    after.project === undefined
      ? [createContextFieldOperation, {}, after]
      : [createContextFieldOfProject, { projectId: after.project }, after],
  "context-field-updated": ({ after }) => ofField(updateContextField, updateContextFieldOfProject, after),
  "context-field-deleted": ({ before }) =>
    ofField(deleteContextFieldOperation, deleteContextFieldOfProject, before),
  "strategy-deprecated": ({ before: { name } }) => [deprecateStrategyType, { strategyName: name }],
  "strategy-reactivated": ({ before: { name } }) => [reactivateStrategyType, { strategyName: name }],
  "default-strategy-updated": ({ project, environment, data }) => [
    updateDefaultStrategy,
    { projectId: project, environment },
    data,
  ],
  "project-updated": ({ project, after, before }) =>
    OF_PROJECT.filter(([, keys]) => keys.some((key) => !isDeepStrictEqual(before[key], after[key]))).map(
      ([operation]): Asked => [operation, { projectId: project }, { linkTemplates: [], ...after }],
    ),
  "project-archived": ({ project }) => [archiveProject, { projectId: project }],
  "project-revived": ({ project }) => [reviveProject, { projectId: project }],
  "environment-updated": ({ after }) => [
    updateEnvironment,
    { name: after.name },
    { askBeforeChange: false, requiredApprovals: null, ...after },
  ],
  "change-request-configuration-updated": ({ project, environment, after }) => [
    configureChangeRequests,
    { projectId: project, environment },
    after,
  ],
  "banner-created": ({ after }) => [createBanner, {}, after],
  "banner-updated": ({ after }) => [updateBanner, { id: after.id }, after],
  "banner-deleted": ({ before: { id } }) => [deleteBanner, { id }],
};

/** The requests that make a change; undefined if it doesn't say enough, as of another server's event. */
export function requestsFor(db: Database, change: Change): OperationRequest[] | undefined {
  const asked = REQUESTS[change.type]?.(
    { ...change, after: change.data ?? {}, before: change.preData ?? {} },
    db,
  );
  if (asked === undefined) return undefined;
  const requests = (isOne(asked) ? [asked] : asked).map(toRequest);
  return requests.includes(undefined) ? undefined : (requests as OperationRequest[]);
}

const isOne = (asked: Asked | Asked[]): asked is Asked => asked.length > 0 && !Array.isArray(asked[0]);

function toRequest([operation, given, body]: Asked): OperationRequest | undefined {
  const params = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  const isComplete = params.length === Object.keys(given).length && (!operation.body || body);
  return isComplete
    ? { operation, params: Object.fromEntries(params.map(([name, value]) => [name, String(value)])), body }
    : undefined;
}

const listOf = (value: unknown): unknown[] | undefined => (Array.isArray(value) ? value : undefined);

/** A strategy, if the event has all of it: a missing constraint would mean more users. */
const whole = (strategy: Record<string, unknown>) =>
  ["name", "parameters", "constraints", "segments"].every((key) => Object.hasOwn(strategy, key))
    ? strategy
    : undefined;

/** Without a property that was not changed, since it may have been since. */
const withoutSame = (
  key: string,
  state: Record<string, unknown> | undefined,
  other: Record<string, unknown>,
) =>
  state &&
  Object.fromEntries(Object.entries(state).filter(([name]) => name !== key || state[key] !== other[key]));

/** The two operations that change a project, and what each of them changes. */
const OF_PROJECT: ReadonlyArray<readonly [Operation, keys: readonly string[]]> = [
  [updateProject, ["name", "description", "mode", "defaultStickiness"]],
  [changeSettings, ["featureNaming", "linkTemplates"]],
];

/** The request about a context field, with another path if it belongs to a project. */
const ofField = (operation: Operation, ofProject: Operation, field: Record<string, unknown>): Asked =>
  field.project === undefined
    ? [operation, { contextField: field.name }, field]
    : [ofProject, { projectId: field.project, contextField: field.name }, field];

/** Events name a link by what it is. */
const linkId = (db: Database, { featureName, before: { url, title = null } }: Described) =>
  linksOf(db)
    .all({ feature: featureName ?? "" })
    .find((link) => link.url === url && link.title === title)?.id;
