import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CLI } from "../../src/access/actor.ts";
import { command } from "../../src/db/statement.ts";
import { write } from "../../src/events/write.ts";
import { aFlag, CHANGES, type Flag, worldOf } from "../support/any-flags.ts";
import { aSearch, expected, toUrl } from "../support/any-search.ts";
import { openServer } from "../support/server.ts";
import { personal } from "../support/world.ts";

const aChange = fc.tuple(fc.nat(), fc.constantFrom(...CHANGES));

test("any search returns what filtering and sorting all flags does, after any changes", async (t) => {
  const flags = fc.uniqueArray(aFlag, {
    minLength: 5,
    maxLength: 60,
    size: "max",
    selector: ({ name }) => name,
  });
  const rounds = fc.array(fc.tuple(fc.array(aChange, { maxLength: 3 }), aSearch), {
    minLength: 10,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(flags, rounds, async (given, rounds) => {
      const { db, request } = await openServer(t, worldOf(given));
      let current: Flag[] = given;
      for (const [changes, search] of rounds) {
        for (const [number, [sql, change]] of changes) {
          const chosen = current[number % current.length];
          if (!chosen) continue;
          write(db, CLI, (tx) => command<{ name: string }>(sql)(tx).run({ name: chosen.name }));
          current = current.flatMap((flag) => (flag === chosen ? (change(flag) ?? []) : flag));
        }
        const { body } = await request(toUrl(search), { as: personal(3) });
        const names = body.features.map(({ name }: Flag) => name);
        assert.deepEqual([names, body.total], expected(current, search), toUrl(search));
      }
    }),
    // Shrinking would open thousands of servers.
    { numRuns: 25, endOnFailure: true },
  );
});
