import fc from "fast-check";
import { startServer } from "./server.ts";
import { propertyOf, runTrial, type Site, TRIALS, type Trial } from "./trial.ts";

/** A failed check, and how to reproduce it. */
export interface Found {
  kind: string;
  /** What was expected and what was seen. */
  message: string;
  /** The failing case, and the shortest one that fails in isolation; undefined if none does. */
  shown: string;
  alone: string | undefined;
}

/** Limit of the cases tried while shrinking. */
const ATTEMPTS = 150;

interface Failed {
  trial: Trial;
  seed: number;
  path: string;
  message: string;
  shown: string;
}

/** Runs all trials concurrently, each with its own cases from the seed. @param continues called before each case */
export async function playRound(site: Site, seed: number, continues: () => boolean): Promise<Found[]> {
  const results = await Promise.all(
    TRIALS.map((trial, index) => attempt(trial, site, seed * TRIALS.length + index, continues)),
  );
  const hasCrashed = site.server.exitReason() !== undefined;
  const found: Found[] = [];
  for (const failed of results.filter((result) => result !== undefined)) {
    const alone = await shortest(failed, site);
    found.push({ kind: failed.trial.kind, message: failed.message, shown: failed.shown, alone });
  }
  const culprits = found.filter(({ alone }) => alone !== undefined);
  return hasCrashed && culprits.length > 0 ? culprits : found;
}

async function attempt(
  trial: Trial,
  site: Site,
  seed: number,
  continues: () => boolean,
): Promise<Failed | undefined> {
  const property = propertyOf(trial, async (one) => {
    if (continues()) await runTrial(trial, site, one);
  });
  const result = await fc.check(property, { seed, numRuns: trial.cases, endOnFailure: true });
  if (!result.failed) return undefined;
  const [one] = result.counterexample!;
  return {
    trial,
    seed,
    path: result.counterexamplePath!,
    message: messageOf(result),
    shown: trial.show(one),
  };
}

/** Repeats the case in isolation, then shrinks it. */
async function shortest({ trial, seed, path }: Failed, site: Site): Promise<string | undefined> {
  let left = ATTEMPTS;
  const property = propertyOf(trial, async (one) => {
    if (left-- <= 0) return;
    await restartIfDown(site);
    await runTrial(trial, site, one);
  });
  const result = await fc.check(property, { seed, path, numRuns: 1 });
  return result.failed ? `${trial.show(result.counterexample![0])}\n  ${messageOf(result)}` : undefined;
}

const messageOf = ({ errorInstance }: fc.RunDetails<[unknown]>) =>
  errorInstance instanceof Error ? errorInstance.message : String(errorInstance);

/** Restarts the server if a case has crashed it. */
export async function restartIfDown(site: Site) {
  if (site.server.exitReason() !== undefined) site.server = await startServer(site.executable, site.data);
}
