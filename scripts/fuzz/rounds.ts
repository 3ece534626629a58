import fc from "fast-check";
import { startServer } from "./server.ts";
import { propertyOf, type Site, TRIALS, type Trial, tryOut } from "./trial.ts";

/** Something that does not hold, and how to see it again. */
export interface Found {
  kind: string;
  /** What was expected, and what was seen. */
  message: string;
  /** The case that was tried, and the shortest one that fails alone; undefined if none does. */
  shown: string;
  alone: string | undefined;
}

/** How often a shorter case is tried. */
const ATTEMPTS = 150;

interface Failed {
  trial: Trial;
  seed: number;
  path: string;
  message: string;
  shown: string;
}

/** All trials at once, each with cases of its own, which the seed gives. @param goesOn asked before each case */
export async function playRound(site: Site, seed: number, goesOn: () => boolean): Promise<Found[]> {
  const results = await Promise.all(
    TRIALS.map((trial, index) => attempt(trial, site, seed * TRIALS.length + index, goesOn)),
  );
  const isOver = site.server.endOf() !== undefined;
  const found: Found[] = [];
  for (const failed of results.filter((result) => result !== undefined)) {
    const alone = await shortest(failed, site);
    found.push({ kind: failed.trial.kind, message: failed.message, shown: failed.shown, alone });
  }
  const culprits = found.filter(({ alone }) => alone !== undefined);
  return isOver && culprits.length > 0 ? culprits : found;
}

async function attempt(
  trial: Trial,
  site: Site,
  seed: number,
  goesOn: () => boolean,
): Promise<Failed | undefined> {
  const property = propertyOf(trial, async (one) => {
    if (goesOn()) await tryOut(trial, site, one);
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

/** The same case again with nothing else going on, then shorter ones. */
async function shortest({ trial, seed, path }: Failed, site: Site): Promise<string | undefined> {
  let left = ATTEMPTS;
  const property = propertyOf(trial, async (one) => {
    if (left-- <= 0) return;
    await revive(site);
    await tryOut(trial, site, one);
  });
  const result = await fc.check(property, { seed, path, numRuns: 1 });
  return result.failed ? `${trial.show(result.counterexample![0])}\n  ${messageOf(result)}` : undefined;
}

const messageOf = ({ errorInstance }: fc.RunDetails<[unknown]>) =>
  errorInstance instanceof Error ? errorInstance.message : String(errorInstance);

/** Starts the server again where a case has ended it. */
export async function revive(site: Site) {
  if (site.server.endOf() !== undefined) site.server = await startServer(site.executable, site.data);
}
