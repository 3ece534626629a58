import { test } from "node:test";
import fc from "fast-check";
import { close } from "../../src/db/open.ts";
import { createServer } from "../../src/server/app.ts";
import { importLines, newDatabase } from "../support/server.ts";
import { dataset } from "./dataset.ts";
import { requireReads, search } from "./reads.ts";

test("every operation responds like the plain model of the contract", async () => {
  await fc.assert(
    fc.asyncProperty(dataset, fc.array(search, { minLength: 6, maxLength: 12 }), async (lines, searches) => {
      const db = newDatabase();
      try {
        await importLines(db, lines);
        await requireReads(createServer({ db, log: () => {} }).app, lines, searches);
      } finally {
        close(db);
      }
    }),
    // Limits shrinking to a minute.
    { numRuns: Number(process.env.MODEL_RUNS ?? 25), interruptAfterTimeLimit: 60_000 },
  );
});
