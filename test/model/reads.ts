import assert from "node:assert/strict";
import fc from "fast-check";
import type { H3 } from "h3";
import { EVENT_TYPES } from "../../src/events/schema.ts";
import { personal } from "../support/world.ts";
import { INTEGRATIONS, type Line, PROJECTS, phrase, USERS, word } from "./dataset.ts";
import { type Answer, createModel, type SearchBody } from "./model.ts";

export const search: fc.Arbitrary<SearchBody> = fc.record(
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

/** A read of one operation, and the model's response. */
type Case = [path: string, expected: Answer, body?: SearchBody];

const segment = encodeURIComponent;
const of = (lines: Line[], kind: string) => lines.filter((line) => line.kind === kind);

function casesFor(lines: Line[], caller: number, searches: SearchBody[]): Case[] {
  const model = createModel(lines, caller);
  const features: string[] = of(lines, "feature").map(({ name }) => name);
  const projects: string[] = of(lines, "project").map(({ id }) => id);
  return [
    ["events", model.events("")],
    ["notifications", model.notifications()],
    ["personal-dashboard", model.dashboard()],
    ...searches.map((body): Case => ["events/search", model.search(body), body]),
    ...[...projects, "gone"].flatMap((project): Case[] => [
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
    ...[...of(lines, "user").map(({ id }) => id), 99].map((id): Case => [`user-admin/${id}`, model.user(id)]),
    ...INTEGRATIONS.map(
      (id): Case => [`addons/${id}/events?limit=3&offset=${id - 1}`, model.integrationEvents(id, 3, id - 1)],
    ),
  ];
}

/** Checks every read by every user against the model of these lines. */
export async function requireReads(app: H3, lines: Line[], searches: SearchBody[], after = "") {
  for (const caller of USERS) {
    const headers = { authorization: personal(caller), "content-type": "application/json" };
    for (const [path, expected, body] of casesFor(lines, caller, searches)) {
      const post = { method: "POST", body: JSON.stringify(body) };
      const response = await app.request(`/api/admin/${path}`, { headers, ...(body && post) });
      const reply = JSON.parse(await response.text());
      const where = `user ${caller}: ${path} ${JSON.stringify(body) ?? ""}${after}`;
      assert.equal(response.status, expected.status, where);
      if (expected.status !== 200) continue;
      const wanted = JSON.parse(JSON.stringify(expected.body));
      if (isSeenMeanwhile(reply)) wanted.seenAt = reply.seenAt;
      assert.deepEqual(reply, wanted, where);
    }
  }
}

const begun = new Date().toISOString();

/** Whether this is a user whose last-seen time has been written, which takes ten seconds. */
const isSeenMeanwhile = ({ seenAt }: { seenAt?: string }) =>
  seenAt !== undefined && seenAt >= begun && seenAt <= new Date().toISOString();
