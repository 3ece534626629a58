import type { EventType } from "../events/schema.ts";
import { PIPELINE, USERS } from "./company.ts";
import type { DemoFeature } from "./features.ts";
import type { Random } from "./random.ts";

/** An event without its id: who did what, and when, in milliseconds. */
export interface Change {
  at: number;
  type: EventType;
  createdBy: string;
  createdByUserId: number | null;
  project?: string;
  environment?: string;
  featureName?: string;
  data?: object;
  preData?: object;
  tags?: ReadonlyArray<{ type: string; value: string }>;
}

/** A change as recorded in the log. */
export type DemoEvent = Change & { id: number };

type Step = Pick<Change, "type"> & Partial<Change>;

/** The history of a flag, at random times in the right order. */
export function changesOf(random: Random, feature: DemoFeature, now: number): Change[] {
  const end = feature.archivedAt ?? now;
  const steps = [...firstSteps(feature), ...laterSteps(random, feature)];
  const times = steps
    .map(() => feature.createdAt + random.below(end - feature.createdAt))
    .sort((a, b) => a - b);
  const changes = steps.map((step, index) =>
    toChange(random, feature, step, index === 0 ? feature.createdAt : times[index]!),
  );
  const last =
    feature.archivedAt === undefined ? [] : [toChange(random, feature, { type: "feature-archived" }, end)];
  return [...changes, ...last];
}

function firstSteps(feature: DemoFeature): Step[] {
  const { name, type, description, impressionData, project } = feature;
  const created: Step = {
    type: "feature-created",
    createdBy: feature.author.email,
    createdByUserId: feature.author.id,
    data: { name, description, type, project: project.id, stale: false, impressionData },
  };
  const perEnvironment = feature.environments.flatMap(
    ({ name: environment, enabled, strategies }): Step[] => [
      ...strategies.map((strategy): Step => ({ type: "feature-strategy-add", environment, data: strategy })),
      ...(enabled ? [{ type: "feature-environment-enabled", environment } as const] : []),
    ],
  );
  return [
    created,
    ...feature.tags.map((tag): Step => ({ type: "feature-tagged", data: tag })),
    ...perEnvironment,
  ];
}

function laterSteps(random: Random, feature: DemoFeature): Step[] {
  const { name, description, type, project } = feature;
  const state = { name, description, type, project: project.id };
  const toggles = Array.from({ length: random.below(4) }, (_, index): Step => {
    const type = index % 2 === 0 ? "feature-environment-disabled" : "feature-environment-enabled";
    return { type, environment: random.pick(feature.environments).name };
  });
  const rollouts = Array.from({ length: random.below(4) }, (_, index): Step[] => {
    const environment = random.pick(feature.environments);
    const strategy = environment.strategies.find(({ parameters }) => "rollout" in parameters);
    if (!strategy) return [];
    const data = { ...strategy, parameters: { ...strategy.parameters, rollout: String(10 * (index + 2)) } };
    const preData = {
      ...strategy,
      parameters: { ...strategy.parameters, rollout: String(10 * (index + 1)) },
    };
    return [{ type: "feature-strategy-update", environment: environment.name, preData, data }];
  }).flat();
  return [
    ...toggles,
    ...rollouts,
    ...(random.chance(0.3)
      ? [{ type: "feature-metadata-updated", preData: { ...state, description: "" }, data: state } as const]
      : []),
    ...(feature.stale ? [{ type: "feature-stale-on" } as const] : []),
  ];
}

function toChange(random: Random, feature: DemoFeature, step: Step, at: number): Change {
  const someone = random.pick(USERS);
  const isPipeline = random.chance(0.1);
  return {
    createdBy: isPipeline ? PIPELINE : someone.email,
    createdByUserId: isPipeline ? -42 : someone.id,
    project: feature.project.id,
    featureName: feature.name,
    tags: feature.tags,
    ...step,
    at,
  };
}
