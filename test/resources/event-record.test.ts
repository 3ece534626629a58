import assert from "node:assert/strict";
import { test } from "node:test";
import { describe } from "../../src/resources/events/describe.ts";
import { EVENT_TYPES } from "../../src/resources/events/types.ts";
import { openServer } from "../support/server.ts";
import { createWorld } from "../support/world.ts";

const EVENT = {
  createdAt: "2026-01-01T00:00:00.000Z",
  createdBy: "ada",
  createdByUserId: 1,
  environment: null,
  project: null,
  featureName: null,
  data: null,
  preData: null,
  tags: [],
};

test("every type of event has a label and a sentence that names who did it", () => {
  for (const type of EVENT_TYPES) {
    const { label, summary } = describe({ ...EVENT, type });
    assert.match(label, /^(API )?[A-Z][A-Za-z ]+$/);
    assert.match(summary, /^\*\*ada\*\*: /);
  }
});

test("a sentence links what there is to see, and only names what is gone", () => {
  const place = { ...EVENT, project: "a b", featureName: "f/1", environment: "production" };
  assert.equal(
    describe({ ...place, type: "feature-environment-enabled" }).summary,
    "**ada**: flag enabled **[f/1](/projects/a%20b/features/f%2F1)** in the environment **production** " +
      "in the project **[a b](/projects/a%20b)**",
  );
  assert.match(describe({ ...place, type: "feature-deleted" }).summary, /\*\*f\/1\*\*/);
  assert.match(describe({ ...EVENT, project: "p", type: "project-deleted" }).summary, /project \*\*p\*\*$/);
  assert.match(
    describe({ ...EVENT, type: "user-deleted", preData: { name: "Zed" } }).summary,
    /\*\*Zed\*\*$/,
  );
});

test("many events in one transaction make one index, not one each", async (t) => {
  const world = createWorld();
  for (let count = 0; count < 500; count++) world.event({ data: { text: `number ${count}` } });
  const { db } = await openServer(t, world);
  const blocks = db.prepare("SELECT count(*) FROM event_searches_data").pluck().get() as number;
  assert.ok(blocks < 50, `${blocks} blocks`);
});
