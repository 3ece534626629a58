import type { SdkActor } from "../access/authenticate.ts";
import { type Database, perDatabase } from "../db/database.ts";
import { timeOf } from "../db/state-at.ts";
import type { ClientFeature, ClientSegment } from "../evaluation/client-feature.ts";
import type { Context } from "../evaluation/context.ts";
import { createEvaluator, type Evaluator } from "../evaluation/evaluator.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { type FlagSelection, selectedFlags, toSelection } from "./client-selection.ts";
import { type State, stateOf } from "./client-state.ts";
import { type Flag, flags, liveProjects, segmentsInUse } from "./client-store.ts";

/** Evaluates an application's flags in its environment. */
export function evaluatorOf(db: Database, actor: SdkActor) {
  const selection = toSelection(db, actor);
  return { ...evaluatorFor(db, selection), environment: selection.environment };
}

/** The same for a user and some or all projects, without those hidden from the user. */
export function evaluatorOfProjects(
  db: Database,
  requestedProjects: "*" | readonly string[],
  hidden: readonly string[],
  environment: string,
) {
  const requested = requestedProjects === "*" ? liveProjects(db).all({}) : [...new Set(requestedProjects)];
  const projects = requested.filter((project) => !hidden.includes(project));
  return evaluatorFor(db, { projects, environment }).evaluator;
}

interface CachedEvaluator {
  /** The projects and the environment. */
  key: string;
  evaluator: Evaluator;
  /** Whether a user always gets the same results. */
  isSteady: boolean;
  state: State;
  revision: number;
  segments: State["segments"];
}

/** Per database, the newest; building one of 5,000 flags takes 1.2 ms. */
const MAX_EVALUATORS = 50;

const evaluatorsOf = perDatabase(() => new BoundedMap<string, CachedEvaluator>(MAX_EVALUATORS));

/** The evaluator of an application's flags, reused until a flag changes. */
function evaluatorFor(
  db: Database,
  selection: Pick<FlagSelection, "projects" | "environment">,
): CachedEvaluator {
  const evaluators = evaluatorsOf(db);
  const state = stateOf(db, selection.environment);
  const key = JSON.stringify([selection.projects, selection.environment]);
  const found = evaluators.get(key);
  if (found?.state === state && found.revision === state.revision) return found;
  const selected = selectedFlags(state, selection);
  const made = {
    key,
    evaluator: createEvaluator(selected.map(toFeature), segmentsOf(state)),
    isSteady: isSteady(selected, state),
    state,
    revision: state.revision,
    segments: state.segments,
  };
  evaluators.set(key, made);
  return made;
}

/** What depends on time, chance, or a session, which may be drawn; any other stickiness falls back to chance. */
const UNSTEADY = /"DATE_|"gradualRollout(Random|SessionId)"|"sessionId"|"stickiness":"(?!default"|userId")/;

/** Reading a thousand flags takes three milliseconds, so each remembers what was found. */
const isSteady = (flags: readonly Flag[], { segments }: State) =>
  flags.every((flag) => (flag.isSteady ??= !UNSTEADY.test(flag.text))) &&
  [...segments.values()].every(({ text }) => !UNSTEADY.test(text));

/** A context at the time that the database shows, unless it has a time of its own. */
export function inTimeOf(db: Database, context: Context): Context {
  const time = timeOf(db);
  if (time !== undefined) context.currentTime ??= time;
  return context;
}

/** One of a project's flags that is not kept, nor anything it is made of: for changes that won't stay. */
export function evaluatorAfresh(db: Database, project: string, environment: string): Evaluator {
  const own = flags(db, environment).filter((flag) => flag.project === project);
  return createEvaluator(own.map(toFeature), segmentsOf({ segments: segmentsInUse(db, environment) }));
}

const toFeature = (flag: Flag) => (flag.feature ??= JSON.parse(flag.text) as ClientFeature);

const segmentsOf = ({ segments }: Pick<State, "segments">) =>
  [...segments.values()].map(({ text }) => JSON.parse(text) as ClientSegment);
