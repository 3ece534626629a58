import assert from "node:assert/strict";
import { test } from "node:test";
import { describe } from "../../src/events/describe.ts";
import { EVENT_TYPES, type EventType } from "../../src/events/schema.ts";
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

test("every type of event has a label, and a summary that names the author", () => {
  for (const type of EVENT_TYPES) {
    const { label, summary } = describe({ ...EVENT, type });
    assert.match(label, /^(API )?[A-Z][A-Za-z ]+$/);
    assert.match(summary, /^\*\*ada\*\* [a-z(]/);
    for (const data of [
      null,
      {},
      { name: 1, title: [], parameters: null, constraints: [null], oldProject: {} },
    ]) {
      for (const featureName of [null, "", "f"]) {
        for (const project of [null, "p", "*"]) {
          const told = describe({ ...EVENT, type, data, preData: data, featureName, project }).summary;
          assert.doesNotMatch(told, /undefined|\[object/);
        }
      }
    }
  }
});

test("a summary links to what exists, and only names what does not", () => {
  const place = { ...EVENT, project: "a b", featureName: "f/1", environment: "production" };
  const flag = "the flag **[f/1](/projects/a%20b/features/f%2F1)**";
  const where = "in the environment **production** in the project **[a b](/projects/a%20b)**";
  assert.equal(
    describe({ ...place, type: "feature-environment-enabled" }).summary,
    `**ada** enabled ${flag} ${where}`,
  );
  assert.match(describe({ ...place, type: "feature-deleted" }).summary, /deleted the flag \*\*f\/1\*\* in/);
  for (const type of ["project-deleted", "project-archived"] as const) {
    assert.match(
      describe({ ...EVENT, project: "p", type }).summary,
      /^\*\*ada\*\* \w+ the project \*\*p\*\*$/,
    );
  }
  assert.equal(
    describe({ ...EVENT, type: "user-deleted", preData: { name: "Zed" } }).summary,
    "**ada** deleted the user **Zed**",
  );
});

/** Summaries without a flag, and with a project as the subject. */
const OTHERS: Array<[type: EventType, data: object | null, sentence: string]> = [
  ["project-created", { id: "p", name: "P" }, "created the project **[p](/projects/p)**"],
  ["project-archived", null, "archived the project **p**"],
  ["project-favorited", { project: "p" }, "favorited the project **[p](/projects/p)**"],
  [
    "project-user-added",
    { roleName: "Owner", userId: 1 },
    "gave the role **Owner** to the user **1** in the project P",
  ],
  [
    "project-user-removed",
    { roleName: "Owner", email: "e@x" },
    "took the role **Owner** from **e@x** in the project P",
  ],
  [
    "project-group-added",
    { roleName: "Member", groupId: 2 },
    "gave the role **Member** to the group **2** in the project P",
  ],
  ["project-access-added", { roles: [] }, "added the access in the project P"],
  [
    "change-request-sent-to-review",
    { changeRequestId: 7 },
    "sent the change request **#7** to review in the project P",
  ],
  ["tag-created", { type: "simple", value: "new" }, "created the tag **simple:new** in the project P"],
  [
    "setting-updated",
    { id: "maintenance", enabled: true },
    "updated the setting **maintenance** in the project P",
  ],
  ["client-metrics", {}, "reported metrics in the project P"],
  ["feature-tagged", null, "tagged the flag in the project P"],
];

for (const [type, data, sentence] of OTHERS) {
  test(`the summary of ${type}: ${sentence}`, () => {
    const told = describe({
      ...EVENT,
      type,
      project: "p",
      data: data as Record<string, unknown> | null,
    }).summary;
    assert.equal(told, `**ada** ${sentence.replace(/P$/, "**[p](/projects/p)**")}`);
  });
}

test("a project's environment is named once", () => {
  const event = { ...EVENT, type: "project-environment-added", project: "p", environment: "e" } as const;
  assert.equal(
    describe(event).summary,
    "**ada** added the environment **e** in the project **[p](/projects/p)**",
  );
});

test("an event that is about a flag in a project links to both", () => {
  const event = { ...EVENT, project: "p", featureName: "f", data: { changeRequestId: 7 } };
  assert.equal(
    describe({ ...event, type: "change-request-created" }).summary,
    "**ada** created the change request **#7** for the flag **[f](/projects/p/features/f)** " +
      "in the project **[p](/projects/p)**",
  );
});

test("a token for all projects and environments is linked to none", () => {
  const token = { ...EVENT, project: "*", environment: "*", data: { tokenName: "ci" } };
  assert.equal(
    describe({ ...token, type: "api-token-created" }).summary,
    "**ada** created the API token **ci**",
  );
});

/** A type with its data, and the part of the summary about flag f in project p, without author and location. */
const ACTIONS: Array<[type: EventType, data: object, preData: object | null, sentence: string]> = [
  ["feature-strategy-add", { name: "default", title: "" }, null, "added the strategy **default** to FLAG"],
  ["feature-strategy-remove", {}, { name: "x", title: "Half" }, "removed the strategy **Half** from FLAG"],
  ["feature-tagged", { type: "simple", value: "a:b" }, null, "tagged FLAG with **simple:a:b**"],
  ["feature-untagged", {}, { type: "simple", value: "old" }, "removed the tag **simple:old** from FLAG"],
  ["feature-stale-off", {}, null, "marked FLAG as no longer stale"],
  ["feature-completed", { status: "kept" }, null, "marked FLAG as completed"],
  ["feature-dependency-added", { feature: "parent" }, null, "made FLAG depend on **parent**"],
  ["feature-project-change", { oldProject: "o", newProject: "p" }, null, "moved FLAG from the project **o**"],
  [
    "feature-strategy-update",
    { name: "flexibleRollout", title: "Some", parameters: { rollout: "25", stickiness: "default" } },
    { name: "flexibleRollout", title: null, parameters: { rollout: "100", stickiness: "default" } },
    "updated the strategy **Some** of FLAG (title from none to Some; rollout from 100% to 25%)",
  ],
  [
    "feature-strategy-update",
    {
      name: "default",
      disabled: true,
      constraints: [{ contextName: "userId", operator: "IN", values: ["9", "8"], inverted: true }],
      segments: [2],
      variants: [{ name: "red", weight: 500 }],
    },
    { name: "default", disabled: false, constraints: [], segments: [1, 2], variants: [] },
    "updated the strategy **default** of FLAG (disabled; constraints from none to userId not IN 9, 8; " +
      "segments from 1, 2 to 2; variants from none to red 50%)",
  ],
  ["feature-strategy-update", { name: "x" }, { name: "x" }, "updated the strategy **x** of FLAG"],
  [
    "feature-strategy-update",
    { name: "x", parameters: 7, constraints: "y" },
    {},
    "updated the strategy **x** of FLAG",
  ],
];

for (const [type, data, preData, sentence] of ACTIONS) {
  test(`${type}: ${sentence}`, () => {
    const event = { ...EVENT, type, project: "p", featureName: "f", data, preData } as Parameters<
      typeof describe
    >[0];
    const to = type === "feature-project-change" ? "to" : "in";
    const told = sentence.replace("FLAG", "the flag **[f](/projects/p/features/f)**");
    const empty = Object.keys(data).length === 0 ? { ...event, data: null } : event;
    assert.equal(describe(empty).summary, `**ada** ${told} ${to} the project **[p](/projects/p)**`);
  });
}

test("labels equal to the original's", () => {
  const label = (type: EventType) => describe({ ...EVENT, type }).label;
  assert.equal(label("feature-completed"), "Flag marked as completed");
  assert.equal(label("feature-project-change"), "Flag moved to a new project");
  assert.equal(label("feature-stale-off"), "Flag stale marking removed");
});

test("many events in one transaction are indexed in one batch", async (t) => {
  const world = createWorld();
  for (let count = 0; count < 500; count++) world.event({ data: { text: `number ${count}` } });
  const { db } = await openServer(t, world);
  const blocks = db.prepare("SELECT count(*) FROM event_searches_data").pluck().get() as number;
  assert.ok(blocks < 50, `${blocks} blocks`);
});
