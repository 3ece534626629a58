import fc from "fast-check";
import { type Case, checkExchange, describe, escaped, Finding, idsIn } from "./checks.ts";
import { type CommandCase, commandCase, runCommand } from "./commands.ts";
import { BrokenReply, exchange } from "./exchange.ts";
import { operationCase } from "./operation-cases.ts";
import { rawCase } from "./raw-cases.ts";
import { type Server, startServer } from "./server.ts";

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

/** What trials run against, and their counters. */
export interface Site {
  executable: string;
  folder: string;
  data: string;
  server: Server;
  /** Cases by kind, responses by status. */
  counts: Record<string, number>;
}

/** A kind of case: how to generate, run and print it. */
interface Trial<T = unknown> {
  kind: string;
  /** Cases per round, chosen so that all kinds take about the same time. */
  cases: number;
  arbitrary: fc.Arbitrary<T>;
  /** @throws Finding */
  run(site: Site, one: T): Promise<void>;
  show(one: T): string;
}

const onConnection = (kind: string, cases: number, arbitrary: fc.Arbitrary<Case>): Trial<Case> => ({
  kind,
  cases,
  arbitrary,
  show: describe,
  async run({ server, counts }, one) {
    const result = await exchange(server.port, one);
    for (const { status } of result.replies) counts[status] = (counts[status] ?? 0) + 1;
    if (result.isReset) await server.settled();
    const end = server.exitReason();
    if (end !== undefined) throw new Finding(`expected the process to stay up, not to exit with ${end}`);
    checkExchange(one, result);
    for (const id of idsIn(result)) await server.requireLogged(id);
  },
});

const commands: Trial<CommandCase> = {
  kind: "commands",
  cases: 20,
  arbitrary: commandCase,
  run: ({ executable, folder, data }, one) => runCommand(executable, folder, data, one),
  show: ({ args, input }) =>
    `flagstone ${args.map((arg) => escaped(Buffer.from(arg))).join(" ")}\n  ${escaped(Buffer.from(input))}`,
};

/** One per concurrent connection, and one for command-line processes. */
export const TRIALS: readonly Trial[] = [
  ...Array.from({ length: 4 }, () => onConnection("operations", 200, operationCase)),
  ...Array.from({ length: 6 }, () => onConnection("raw", 40, rawCase)),
  commands,
] as Trial[];

/** Runs a case; a response that is not valid HTTP is a finding too. @throws Finding */
async function runTrial({ kind, run }: Trial, site: Site, one: unknown) {
  site.counts[kind] = (site.counts[kind] ?? 0) + 1;
  try {
    await run(site, one);
  } catch (error) {
    throw error instanceof BrokenReply ? new Finding(`expected HTTP, not ${error.message}`) : error;
  }
}

/** The property that `run` passes for every case of a trial. */
const propertyOf = (trial: Trial, run: (one: unknown) => Promise<void>) =>
  fc.asyncProperty(trial.arbitrary, run);
