import type { Before, Change, Outcome, Place } from "./changes.ts";
import type { Line } from "./dataset.ts";
import { strategiesOf } from "./model.ts";
import { mayInProject } from "./permissions.ts";

type InEnvironment = Place & { environment: string };

const STRATEGY_TYPES = ["default", "flexibleRollout", "userWithId", "remoteAddress", "applicationHostname"];

export function addStrategy(before: Before, change: Change & { kind: "addStrategy" }): Outcome {
  const { lines, id } = before;
  const { name, title = null, disabled = false, segments = [], parameters = {}, sortOrder } = change.body;
  const isOfRightTypes =
    typeof name === "string" && name !== "" && (title === null || typeof title === "string");
  const refused = refusal(before, change, "CREATE_FEATURE_STRATEGY", isOfRightTypes);
  if (refused) return refused.status === 404 && featureAt(lines, change) ? { status: 400 } : refused;
  if (!STRATEGY_TYPES.includes(name)) return { status: 400 };
  const known = lines.filter(({ kind }) => kind === "segment").map((segment) => segment.id);
  if (!segments.every((segment: number) => known.includes(segment))) return { status: 404 };
  const there = strategiesOf(featureAt(lines, change)!, change.environment);
  const rollout = { rollout: "100", stickiness: "default", groupId: change.feature };
  const added = {
    id,
    name,
    title,
    disabled: disabled ?? false,
    constraints: [],
    variants: [],
    segments: [...new Set<number>(segments)].toSorted((a, b) => a - b),
    sortOrder: sortOrder ?? (there.at(-1)?.sortOrder ?? -1) + 1,
    parameters: name === "flexibleRollout" ? { ...rollout, ...parameters } : parameters,
  };
  return {
    status: 200,
    events: [{ type: "feature-strategy-add", data: added, ...whereOf(change) }],
    lines: withState(lines, change, (state) => ({ ...state, strategies: [...there, added] })),
  };
}

/** An environment without an enabled strategy becomes disabled. */
export function removeStrategy(before: Before, change: Change & { kind: "removeStrategy" }): Outcome {
  const { lines } = before;
  const refused = refusal(before, change, "DELETE_FEATURE_STRATEGY", true);
  if (refused?.status === 403) return refused;
  const isKnown = lines.some(
    (line) =>
      line.kind === "feature" &&
      line.environments.some((one: Line) => one.strategies.some(({ id }: Line) => id === change.strategy)),
  );
  if (!isKnown) return { status: 404 };
  const feature = featureAt(lines, change);
  const there = feature ? strategiesOf(feature, change.environment) : [];
  const removed = there.find(({ id }) => id === change.strategy);
  if (!removed) return { status: 403 };
  const strategies = there.filter((one) => one !== removed);
  const state = feature!.environments.find(({ name }: Line) => name === change.environment);
  const goesOff = state.enabled && strategies.every(({ disabled }) => disabled);
  const events: Line[] = [{ type: "feature-strategy-remove", preData: removed }];
  if (goesOff) events.push({ type: "feature-environment-disabled" });
  return {
    status: 200,
    events: events.map((event) => ({ ...event, ...whereOf(change) })),
    lines: withState(lines, change, (one) => ({ ...one, strategies, enabled: one.enabled && !goesOff })),
  };
}

function refusal(
  { lines, caller }: Before,
  change: InEnvironment,
  permission: string,
  isOfRightTypes: boolean,
): Outcome | undefined {
  const { project, environment } = change;
  if (!mayInProject(lines, caller, permission, project, environment)) return { status: 403 };
  if (!isOfRightTypes) return { status: 400 };
  const place = lines.find((line) => line.kind === "project" && line.id === project);
  const isThere = featureAt(lines, change) && place!.environments.includes(environment);
  return isThere ? undefined : { status: 404 };
}

const featureAt = (lines: Line[], { project, feature }: Place) =>
  lines.find((line) => line.kind === "feature" && line.name === feature && line.project === project);

const whereOf = ({ project, environment, feature }: InEnvironment) => ({
  project,
  environment,
  featureName: feature,
});

/** The lines with the flag's state in the environment changed. */
function withState(lines: Line[], { feature, environment }: InEnvironment, change: (state: Line) => Line) {
  return lines.map((line) => {
    if (line.kind !== "feature" || line.name !== feature) return line;
    const untouched = { name: environment, enabled: false, variants: [], strategies: [] };
    const state = line.environments.find(({ name }: Line) => name === environment);
    const others = line.environments.filter((one: Line) => one !== state);
    return { ...line, environments: [...others, change(state ?? untouched)] };
  });
}
