import { changesSoFar, isCurrent, type Stamp, stampOf } from "../../db/revision.ts";
import { snapshot } from "../../db/snapshot.ts";
import type { Database } from "../../db/statement.ts";
import { watchReads } from "../../db/watch.ts";
import { createEvaluator, type Evaluator } from "../../evaluation/evaluator.ts";
import { toJson } from "../../http/raw-json.ts";
import { clientFeatures, clientSegments, type Wanted } from "./store.ts";

interface Kept {
  evaluator: Evaluator;
  stamp: Stamp;
  /** Of changes by other processes. */
  version: unknown;
}

/** How many are kept; the one that was made first goes first. */
const MOST = 50;

const kept = new WeakMap<Database, Map<string, Kept>>();

/** The evaluator of what an application may have, made once and used until a flag changes. */
export function evaluatorFor(db: Database, { projects, environment }: Wanted): Evaluator {
  const evaluators = kept.get(db) ?? new Map<string, Kept>();
  kept.set(db, evaluators);
  const key = JSON.stringify([projects, environment]);
  const version = db.pragma("data_version", { simple: true });
  const found = evaluators.get(key);
  if (found && found.version === version && isCurrent(db, found.stamp)) return found.evaluator;
  const since = changesSoFar();
  const { result: evaluator, readings } = watchReads(() => makeEvaluator(db, { projects, environment }));
  evaluators.delete(key);
  evaluators.set(key, {
    evaluator,
    version,
    stamp: stampOf(new Set([...readings].flatMap(({ tables }) => tables)), since),
  });
  if (evaluators.size > MOST) evaluators.delete(evaluators.keys().next().value!);
  return evaluator;
}

const makeEvaluator = (db: Database, wanted: Wanted) =>
  snapshot(db, () =>
    createEvaluator(
      JSON.parse(toJson(clientFeatures(db, wanted, false))),
      JSON.parse(toJson(clientSegments(db))),
    ),
  );
