import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { EVENT_TYPES } from "../../src/events/types.ts";
import { createServer } from "../../src/server/create-server.ts";
import { importLines } from "../support/server.ts";
import { personal } from "../support/world.ts";
import { dataset, INTEGRATIONS, type Line, PROJECTS, phrase, USERS, word } from "./dataset.ts";
import { type Answer, createModel, type SearchBody } from "./model.ts";

const search: fc.Arbitrary<SearchBody> = fc.record(
  {
    type: fc.constantFrom(...EVENT_TYPES.slice(0, 6), ""),
    project: fc.constantFrom(...PROJECTS, "gone", ""),
    feature: word,
    query: fc.oneof(word, phrase, fc.constantFrom("", "feature-", "create", '":"', "null")),
    limit: fc.integer({ min: 1, max: 10 }),
    offset: fc.nat(60),
  },
  { requiredKeys: [] },
);

/** A read of one operation, and what the model says to it. */
type Case = [path: string, expected: Answer, body?: SearchBody];

function casesFor(lines: Line[], caller: number, searches: SearchBody[]): Case[] {
  const model = createModel(lines, caller);
  const features = lines.filter((line) => line.kind === "feature").map((line) => line.name as string);
  const segment = encodeURIComponent;
  return [
    ["events", model.events("")],
    ["notifications", model.notifications()],
    ["personal-dashboard", model.dashboard()],
    ...searches.map((body): Case => ["events/search", model.search(body), body]),
    ...[...PROJECTS, "gone"].flatMap((project): Case[] => [
      [`events?project=${segment(project)}`, model.events(project)],
      [`projects/${segment(project)}/features`, model.features(project)],
      [`personal-dashboard/${segment(project)}`, model.details(project)],
      ...features.flatMap((feature) =>
        ["development", "production"].map(
          (environment): Case => [
            `projects/${segment(project)}/features/${segment(feature)}/environments/${environment}/strategies`,
            model.strategies(project, feature, environment),
          ],
        ),
      ),
    ]),
    ...[...USERS, 99].map((id): Case => [`user-admin/${id}`, model.user(id)]),
    ...INTEGRATIONS.map(
      (id): Case => [`addons/${id}/events?limit=3&offset=${id - 1}`, model.integrationEvents(id, 3, id - 1)],
    ),
  ];
}

test("every operation answers as the plain model of the contract does", async () => {
  await fc.assert(
    fc.asyncProperty(dataset, fc.array(search, { minLength: 6, maxLength: 12 }), async (lines, searches) => {
      const db = open(IN_MEMORY);
      try {
        await importLines(db, lines);
        const { app } = createServer({ db, log: () => {} });
        for (const caller of USERS) {
          const authorization = personal(caller);
          for (const [path, expected, body] of casesFor(lines, caller, searches)) {
            const post = { method: "POST", body: JSON.stringify(body) };
            const headers = { authorization, "content-type": "application/json" };
            const response = await app.request(`/api/admin/${path}`, { headers, ...(body && post) });
            const reply = JSON.parse(await response.text());
            const where = `user ${caller}: ${path} ${JSON.stringify(body) ?? ""}`;
            assert.equal(response.status, expected.status, where);
            if (expected.status === 200)
              assert.deepEqual(reply, JSON.parse(JSON.stringify(expected.body)), where);
          }
        }
      } finally {
        close(db);
      }
    }),
    // Where it fails, the case is made smaller for a minute, not longer.
    { numRuns: Number(process.env.MODEL_RUNS ?? 25), interruptAfterTimeLimit: 60_000 },
  );
});
