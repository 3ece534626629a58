import { CLI } from "../../src/access/actor.ts";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { write } from "../../src/events/write.ts";
import { verifyLog } from "../../src/log/proof.ts";
import type { Context } from "./context.ts";
import { aimTable, many, median } from "./figures.ts";

const BATCH = 1000;

/** How many events of the usual size one core verifies in a second. */
export async function run({ options, progress, print }: Context) {
  const db = open(IN_MEMORY);
  const data = { name: "checkout", description: "x".repeat(100), type: "release", stale: false };
  for (let count = 0; count < Number(options.events); count += BATCH) {
    progress(`recording events, ${many(count)}`);
    write(db, CLI, (tx) => {
      for (let index = 0; index < BATCH; index++)
        tx.record({
          type: "feature-updated",
          project: "default",
          featureName: "checkout",
          data,
          preData: data,
        });
    });
  }
  const rates = Array.from({ length: Number(options.rounds) }, () => {
    const begin = process.cpuUsage();
    const { proved } = verifyLog(db);
    const { user, system } = process.cpuUsage(begin);
    return proved / ((user + system) / 1e6);
  });
  close(db);
  print(
    aimTable([
      {
        name: "events verified",
        value: median(rates),
        limit: 300_000,
        isLeast: true,
        unit: "per second of a core",
      },
    ]),
  );
}
