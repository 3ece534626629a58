import fc from "fast-check";
import { type Case, describe, escaped, Finding } from "./case.ts";
import { checkExchange, idsIn } from "./checks.ts";
import { type CommandCase, commandCase, runCommand } from "./commands.ts";
import { exchange } from "./exchange.ts";
import { operationCase } from "./operation-cases.ts";
import { rawCase } from "./raw-cases.ts";
import { BrokenReply } from "./replies.ts";
import type { Server } from "./server.ts";

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
export interface Trial<T = unknown> {
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
export async function runTrial({ kind, run }: Trial, site: Site, one: unknown) {
  site.counts[kind] = (site.counts[kind] ?? 0) + 1;
  try {
    await run(site, one);
  } catch (error) {
    throw error instanceof BrokenReply ? new Finding(`expected HTTP, not ${error.message}`) : error;
  }
}

/** The property that `run` passes for every case of a trial. */
export const propertyOf = (trial: Trial, run: (one: unknown) => Promise<void>) =>
  fc.asyncProperty(trial.arbitrary, run);
