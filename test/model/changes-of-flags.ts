import type { Before, Change, Outcome, Place } from "./changes.ts";
import { isUrlName } from "./changes-of-others.ts";
import type { Line } from "./dataset.ts";
import { strategiesOf } from "./model.ts";
import { mayInProject } from "./permissions.ts";

const TYPES = ["release", "experiment", "operational", "kill-switch", "permission"];

const find = (lines: Line[], kind: string, key: string, value: unknown) =>
  lines.find((line) => line.kind === kind && line[key] === value);
const isFlag = (value: unknown) => typeof value === "boolean";

export function createFeature(
  { lines, caller, now }: Before,
  { project, body }: Change & { kind: "createFeature" },
): Outcome {
  if (!mayInProject(lines, caller, "CREATE_FEATURE", project)) return { status: 403 };
  const { name, type = "release", description = null, stale = false, impressionData = false } = body;
  const isRight =
    isUrlName(name) &&
    typeof type === "string" &&
    (description === null || typeof description === "string") &&
    isFlag(stale) &&
    isFlag(impressionData);
  if (!isRight) return { status: 400 };
  const place = find(lines, "project", "id", project);
  if (!place || place.archivedAt !== undefined) return { status: 404 };
  if (!TYPES.includes(type)) return { status: 400 };
  if (find(lines, "feature", "name", name)) return { status: 409 };
  const shown = { name, description: description || null, type, project, stale, createdAt: now };
  const data = { ...shown, lastSeenAt: null, impressionData, archivedAt: null, archived: false };
  const { createdByUserId } = caller;
  const made = { kind: "feature", ...shown, impressionData, createdByUserId, environments: [] };
  return {
    status: 201,
    events: [{ type: "feature-created", project, featureName: name, data }],
    lines: [...lines, made],
  };
}

/** The flag at a place; undefined if it does not exist or is in another project. */
function featureOf(lines: Line[], { project, feature }: Place) {
  const found = find(lines, "feature", "name", feature);
  return found?.project === project ? found : undefined;
}

export function archive({ lines, caller, now }: Before, place: Place): Outcome {
  if (!mayInProject(lines, caller, "DELETE_FEATURE", place.project)) return { status: 403 };
  const feature = featureOf(lines, place);
  if (!feature) return { status: 404 };
  const where = { project: place.project, featureName: place.feature };
  return {
    status: 202,
    events: ["feature-dependencies-removed", "feature-archived"].map((type) => ({ type, ...where })),
    lines: lines.map((line) => (line === feature ? { ...feature, archivedAt: now } : line)),
  };
}

export function switchFeature(
  { lines, caller, id }: Before,
  { environment, isOn, activates, ...place }: Change & { kind: "switch" },
): Outcome {
  const { project } = place;
  if (!mayInProject(lines, caller, "UPDATE_FEATURE_ENVIRONMENT", project, environment))
    return { status: 403 };
  const feature = featureOf(lines, place);
  if (!feature || !find(lines, "project", "id", project)!.environments.includes(environment))
    return { status: 404 };
  if (feature.archivedAt !== undefined) return { status: 400 };
  const untouched = { name: environment, enabled: false, variants: [], strategies: [] };
  const state: Line = feature.environments.find(({ name }: Line) => name === environment) ?? untouched;
  const { strategies, events } = isOn
    ? toEnabled(feature, environment, activates, id)
    : { strategies: state.strategies, events: [] as Line[] };
  const isGivenOne = events.some(({ type }) => type === "feature-strategy-add");
  if (isGivenOne && !mayInProject(lines, caller, "CREATE_FEATURE_STRATEGY", project, environment))
    return { status: 403 };
  if (state.enabled !== isOn) events.push({ type: `feature-environment-${isOn ? "enabled" : "disabled"}` });
  const others = feature.environments.filter((one: Line) => one !== state);
  const changed = { ...feature, environments: [...others, { ...state, enabled: isOn, strategies }] };
  return {
    status: 200,
    events: events.map((event) => ({ ...event, project, environment, featureName: feature.name })),
    lines: lines.map((line) => (line === feature ? changed : line)),
  };
}

/** If no strategy is enabled, the flag gets one for everyone, unless its disabled ones are to be enabled. */
function toEnabled(
  feature: Line,
  environment: string,
  activates: boolean,
  id: unknown,
): { strategies: Line[]; events: Line[] } {
  const strategies = strategiesOf(feature, environment);
  if (activates && strategies.length > 0) {
    const disabled = strategies.filter((one) => one.disabled);
    return {
      strategies: strategies.map((one) => ({ ...one, disabled: false })),
      events: disabled.map((one) => ({
        type: "feature-strategy-update",
        data: { ...one, disabled: false },
        preData: one,
      })),
    };
  }
  if (!strategies.every((one) => one.disabled)) return { strategies, events: [] };
  const added = {
    id,
    name: "flexibleRollout",
    title: null,
    disabled: false,
    constraints: [],
    variants: [],
    segments: [],
    sortOrder: (strategies.at(-1)?.sortOrder ?? -1) + 1,
    parameters: { rollout: "100", stickiness: "default", groupId: feature.name },
  };
  return { strategies: [...strategies, added], events: [{ type: "feature-strategy-add", data: added }] };
}
