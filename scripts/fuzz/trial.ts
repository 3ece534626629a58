import fc from "fast-check";
import { type Case, describe, escaped, Finding } from "./case.ts";
import { checkExchange, idsIn } from "./checks.ts";
import { type CommandCase, commandCase, runCommand } from "./commands.ts";
import { exchange } from "./exchange.ts";
import { operationCase } from "./operation-cases.ts";
import { rawCase } from "./raw-cases.ts";
import { BrokenReply } from "./replies.ts";
import type { Server } from "./server.ts";

/** What trials need, and what they count. */
export interface Site {
  executable: string;
  folder: string;
  data: string;
  server: Server;
  /** Cases by kind, answers by status. */
  counts: Record<string, number>;
}

/** A kind of cases: how they are made, tried and told. */
export interface Trial<T = unknown> {
  kind: string;
  /** How many are tried before all that was found is looked at; each kind takes about as long as the others. */
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
    const end = server.endOf();
    if (end !== undefined) throw new Finding(`expected the process to live, not to end with ${end}`);
    checkExchange(one, result);
    for (const id of idsIn(result)) await server.requireLogged(id);
  },
});

const beside: Trial<CommandCase> = {
  kind: "commands",
  cases: 20,
  arbitrary: commandCase,
  run: ({ executable, folder, data }, one) => runCommand(executable, folder, data, one),
  show: ({ args, input }) =>
    `flagstone ${args.map((arg) => escaped(Buffer.from(arg))).join(" ")}\n  ${escaped(Buffer.from(input))}`,
};

/** One for each connection that is used at once, and one for the processes beside. */
export const TRIALS: readonly Trial[] = [
  ...Array.from({ length: 4 }, () => onConnection("operations", 200, operationCase)),
  ...Array.from({ length: 6 }, () => onConnection("raw", 40, rawCase)),
  beside,
] as Trial[];

/** Tries a case; what is no HTTP is a finding too. @throws Finding */
export async function tryOut({ kind, run }: Trial, site: Site, one: unknown) {
  site.counts[kind] = (site.counts[kind] ?? 0) + 1;
  try {
    await run(site, one);
  } catch (error) {
    throw error instanceof BrokenReply ? new Finding(`expected HTTP, not ${error.message}`) : error;
  }
}

/** The property that every case of a trial is answered as it should be. */
export const propertyOf = (trial: Trial, run: (one: unknown) => Promise<void>) =>
  fc.asyncProperty(trial.arbitrary, run);
