import { createRequire } from "node:module";

/*
 * The specification that all SDKs are tested against: flags, and the expected results in a context.
 */

interface Case {
  description: string;
  toggleName: string;
  context: Record<string, unknown>;
}

export interface Chapter {
  name: string;
  state: { features: Feature[]; segments?: Segment[] };
  tests: ReadonlyArray<Case & { expectedResult: boolean }>;
  variantTests: ReadonlyArray<Case & { expectedResult: Expected }>;
}

/** A variant; the flag's state is given in one of two spellings, or omitted. */
export interface Expected {
  name: string;
  enabled: boolean;
  payload?: { type: string; value: string };
  feature_enabled?: boolean;
  featureEnabled?: boolean;
}

type Feature = { name: string };
type Segment = { id: number };

type Event =
  | { type: "hydration"; features: Feature[]; segments: Segment[] }
  | { type: "feature-updated"; feature: Feature }
  | { type: "feature-removed"; featureName: string }
  | { type: "segment-updated"; segment: Segment };

const load = createRequire(import.meta.url);
const FOLDER = "@unleash/client-specification/specifications";

/** The cases, each with the final state if it is given as delta events. */
export const CHAPTERS: readonly Chapter[] = (load(`${FOLDER}/index.json`) as string[]).map((file) => {
  const { state, tests = [], variantTests = [], ...chapter } = load(`${FOLDER}/${file}`);
  return { ...chapter, tests, variantTests, state: state.events ? folded(state.events) : state };
});

function folded(events: readonly Event[]): Chapter["state"] {
  const features = new Map<string, Feature>();
  const segments = new Map<number, Segment>();
  for (const event of events) {
    if (event.type === "hydration") {
      for (const feature of event.features) features.set(feature.name, feature);
      for (const segment of event.segments) segments.set(segment.id, segment);
    } else if (event.type === "feature-updated") features.set(event.feature.name, event.feature);
    else if (event.type === "feature-removed") features.delete(event.featureName);
    else segments.set(event.segment.id, event.segment);
  }
  return { features: [...features.values()], segments: [...segments.values()] };
}
