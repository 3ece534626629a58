import type { Database } from "../../db/statement.ts";
import { createEvaluator, type Evaluator } from "../../evaluation/evaluator.ts";
import type { ClientFeature, ClientSegment } from "./schema.ts";
import { type State, stateOf } from "./state.ts";
import type { Flag } from "./store.ts";
import { type Wanted, wantedFlags } from "./wanted.ts";

interface Kept {
  evaluator: Evaluator;
  state: State;
  revision: number;
}

/** The most evaluators kept; the oldest is dropped first. */
const MOST = 50;

const kept = new WeakMap<Database, Map<string, Kept>>();

/** Flags are parsed once for all evaluators. */
const parsed = new WeakMap<Flag, ClientFeature>();

/** The evaluator of an application's flags, created once and re-used until a flag changes. */
export function evaluatorFor(db: Database, wanted: Pick<Wanted, "projects" | "environment">): Evaluator {
  const evaluators = kept.get(db) ?? new Map<string, Kept>();
  kept.set(db, evaluators);
  const state = stateOf(db, wanted.environment);
  const key = JSON.stringify([wanted.projects, wanted.environment]);
  const found = evaluators.get(key);
  if (found?.state === state && found.revision === state.revision) return found.evaluator;
  const evaluator = createEvaluator(wantedFlags(state, wanted).map(toFeature), segmentsOf(state));
  evaluators.delete(key);
  evaluators.set(key, { evaluator, state, revision: state.revision });
  if (evaluators.size > MOST) evaluators.delete(evaluators.keys().next().value!);
  return evaluator;
}

function toFeature(flag: Flag): ClientFeature {
  const feature = parsed.get(flag) ?? (JSON.parse(flag.text) as ClientFeature);
  parsed.set(flag, feature);
  return feature;
}

const segmentsOf = ({ segments }: State) =>
  [...segments.values()].map((text) => JSON.parse(text) as ClientSegment);
