import type { KeptRow, PastChange } from "../db/row-versions.ts";
import type { DemoEvent } from "./activity.ts";
import type { DemoFeature } from "./company.ts";

/*
 * The demo's flags are made as they are today, and its events at random. Going back through them, newest first, each
 * event is made to say what it must have done, and the flags become what they were before it.
 */

/** A flag on the way back. It is changed. */
type Flag = DemoFeature & { stages: ReadonlyArray<{ stage: string; enteredAt: string }> };

/** Makes the event lead to the flag as it is, and the flag what it was before. @returns the rows that there were before */
type StepBack = (flag: Flag, event: DemoEvent) => KeptRow[];

/** What each type of event did. */
const STEPS: Readonly<Record<string, StepBack>> = {
  "feature-environment-enabled": switchBack,
  "feature-environment-disabled": switchBack,
  "feature-stale-on"(flag, event) {
    event.type = flag.stale ? "feature-stale-on" : "feature-stale-off";
    flag.stale = !flag.stale;
    return [["features", [flag.name], { stale: Number(flag.stale) }]];
  },
  "feature-metadata-updated"(flag, event) {
    const said = (description = "") => ({ ...event.data, description });
    event.data = said(flag.description);
    flag.description = flag.description ? undefined : `Tries ${flag.name.replaceAll("-", " ")}`;
    event.preData = said(flag.description);
    return [["features", [flag.name], { description: flag.description ?? null }]];
  },
  "feature-strategy-update"(flag, event) {
    const strategy = strategyOf(flag, event);
    const { parameters } = event.preData as typeof strategy;
    const isSame = parameters.rollout === strategy.parameters.rollout;
    event.data = { ...strategy };
    strategy.parameters = isSame ? ({ ...parameters, rollout: "5" } as typeof parameters) : parameters;
    event.preData = { ...strategy };
    return [["strategies", [strategy.id], { parameters: JSON.stringify(strategy.parameters) }]];
  },
  "feature-strategy-add"(flag, event) {
    const strategy = strategyOf(flag, event);
    event.data = { ...strategy };
    const inSegments = strategy.segments.map((id): KeptRow => ["strategy_segments", [strategy.id, id], null]);
    return [["strategies", [strategy.id], null], ...inSegments];
  },
  "feature-tagged"({ name }, { data }) {
    const { type, value } = data as DemoFeature["tags"][number];
    return [["feature_tags", [name, type, value], null]];
  },
  "feature-archived": ({ name }) => [["features", [name], { archived_at: null }]],
  "feature-created"({ name, environments, stages, description = "" }, event) {
    event.data = { ...event.data, description };
    return [
      ["features", [name], null],
      ...environments.map((one): KeptRow => ["feature_environments", [name, one.name], null]),
      ...stages.map(({ stage }): KeptRow => ["feature_stages", [name, stage], null]),
    ];
  },
};

function switchBack(flag: Flag, event: DemoEvent): KeptRow[] {
  const state = flag.environments.find(({ name }) => name === event.environment)!;
  event.type = state.enabled ? "feature-environment-enabled" : "feature-environment-disabled";
  state.enabled = !state.enabled;
  return [["feature_environments", [flag.name, state.name], { enabled: Number(state.enabled) }]];
}

function strategyOf(flag: Flag, { environment, data }: DemoEvent) {
  const { id } = data as { id: string };
  return flag.environments.find(({ name }) => name === environment)!.strategies.find((one) => one.id === id)!;
}

/** A moment of the past in which something became different. */
type Moment = { at: number; featureName?: string } & (DemoEvent | { stage: string });

/**
 * Makes events agree with the flags as they are today, and with each other.
 * @param events oldest first; they are changed
 * @returns what rows were before each event, and before each stage of a flag's life
 */
export function goBack(features: readonly Flag[], events: readonly DemoEvent[]): PastChange[] {
  const flags = new Map(features.map((flag) => [flag.name, structuredClone(flag)]));
  const moments: Moment[] = [...events, ...features.flatMap(stagesIn)].sort((a, b) => a.at - b.at);
  const rows = moments.toReversed().map((moment) => stepBack(flags.get(moment.featureName!), moment));
  let event = 0;
  return moments.map((moment, index) => {
    if ("id" in moment) event = moment.id;
    return { at: new Date(moment.at).toISOString(), event, rows: rows.at(-1 - index)! };
  });
}

/** All but the first, which begins with the flag. */
const stagesIn = ({ name, stages }: Flag): Moment[] =>
  stages.slice(1).map(({ stage, enteredAt }) => ({ at: Date.parse(enteredAt), featureName: name, stage }));

function stepBack(flag: Flag | undefined, moment: Moment): KeptRow[] {
  if (flag === undefined || ("id" in moment && moment.isExample)) return [];
  if ("stage" in moment) return [["feature_stages", [flag.name, moment.stage], null]];
  return STEPS[moment.type]?.(flag, moment) ?? [];
}
