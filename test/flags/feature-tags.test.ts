import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tag } from "../../src/events/schema.ts";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const TAGS = "/api/admin/features/f/tags";
const RED = { type: "simple", value: "red" };
const BLUE = { type: "simple", value: "blue" };
const GREEN = { type: "simple", value: "green" };
const invalid = [400, "ValidationError"] as [number, string];

const withFlag = (w: World) =>
  w
    .project("a")
    .project("b")
    .member("a", 4)
    .add("tag", BLUE)
    .feature("f", "a", { tags: [RED] })
    .feature("g", "a")
    .feature("other", "b");
const made = (tag: Tag) => ({ type: "tag-created" as const, project: null, featureName: null, data: tag });
const tagged = (tag: Tag, tags: Tag[], featureName = "f") => ({
  type: "feature-tagged" as const,
  project: "a",
  featureName,
  data: tag,
  preData: null,
  tags,
});
const untagged = (tag: Tag, tags: Tag[], featureName = "f") => ({
  type: "feature-untagged" as const,
  project: "a",
  featureName,
  data: null,
  preData: tag,
  tags,
});

scenarios(`GET ${TAGS}`, [
  { name: "an unknown flag", expect: [404, "NotFoundError"] },
  {
    name: "of a private project, for others, like an unknown one",
    as: personal(2),
    given: (w) => w.project("secret", { mode: "private" }).feature("f", "secret"),
    expect: [404, "NotFoundError"],
  },
  {
    name: "of an archived flag, by type, then value",
    as: personal(3),
    given: (w) => w.project("a").feature("f", "a", { tags: [RED, BLUE], archivedAt: "2026-01-02T00:00:00Z" }),
    see: (body) => assert.deepEqual(body, { version: 1, tags: [BLUE, RED] }),
  },
]);

scenarios(`POST ${TAGS}`, [
  { name: "an unknown flag", body: RED, expect: [404, "NotFoundError"] },
  ...[
    {},
    { type: "simple" },
    { value: "red" },
    { type: "simple", value: 5 },
    { type: "simple", value: "x" },
    { type: "simple", value: "x".repeat(51) },
    { type: "nope", value: "red" },
  ].map((body) => ({
    name: `refused: ${JSON.stringify(body)}`,
    given: withFlag,
    body,
    expect: invalid,
  })),
  {
    name: "a new tag, as a member",
    as: personal(4),
    given: withFlag,
    body: GREEN,
    expect: 201,
    records: [made(GREEN), tagged(GREEN, [GREEN, RED])],
    see: (body, { headers }) => {
      assert.deepEqual(body, GREEN);
      assert.equal(headers.get("location"), "f/tags");
    },
  },
  {
    name: "a tag that no flag has, as a service",
    as: SERVICE,
    given: withFlag,
    body: BLUE,
    expect: 201,
    records: [tagged(BLUE, [BLUE, RED])],
  },
  {
    name: "a tag that the flag already has is recorded, as in the original",
    given: withFlag,
    body: RED,
    expect: 201,
    records: [tagged(RED, [RED])],
  },
]);

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ type: "simple", value: `tag-${index}` }));
const tooMany = [400, "ExceedsLimitError"] as [number, string];
const withMany = (w: World) => w.project("a").feature("f", "a", { tags: many(100) });

scenarios(`POST ${TAGS}`, [
  { name: "one more than the most", given: withMany, body: GREEN, expect: tooMany },
  {
    name: "one of the most, again",
    given: withMany,
    body: many(1)[0]!,
    expect: 201,
    records: [{ type: "feature-tagged" }],
  },
]);

scenarios(`PUT ${TAGS}`, [
  {
    name: "more than the most at once",
    given: withFlag,
    body: { addedTags: many(101), removedTags: [] },
    expect: invalid,
  },
  {
    name: "more than the most in the end",
    given: withFlag,
    body: { addedTags: many(100), removedTags: [RED] },
    expect: tooMany,
  },
]);

const FLAGS = Array.from({ length: 51 }, (_, index) => `f${index}`);

scenarios("PUT /api/admin/projects/a/tags", [
  {
    name: "more changes than one request may make",
    given: (w) => FLAGS.reduce((all, flag) => all.feature(flag, "a"), w.project("a")),
    body: {
      features: FLAGS,
      tags: { addedTags: many(50), removedTags: many(50) },
    },
    expect: tooMany,
  },
]);

scenarios(`PUT ${TAGS}`, [
  {
    name: "a viewer",
    as: personal(3),
    given: withFlag,
    body: { addedTags: [], removedTags: [] },
    expect: [403, "NoAccessError"],
  },
  { name: "an unknown flag", body: { addedTags: [RED], removedTags: [] }, expect: [404, "NotFoundError"] },
  ...[
    {},
    { addedTags: [] },
    { removedTags: [] },
    { addedTags: "x", removedTags: [] },
    { addedTags: [{}], removedTags: [] },
    { addedTags: [], removedTags: [{ type: "simple", value: "x" }] },
    { addedTags: [GREEN, { type: "nope", value: "red" }], removedTags: [] },
  ].map((body) => ({ name: `refused: ${JSON.stringify(body)}`, given: withFlag, body, expect: invalid })),
  {
    name: "some added and one removed, recorded with the previous tags",
    as: personal(4),
    given: withFlag,
    body: { addedTags: [GREEN, BLUE], removedTags: [RED] },
    records: [
      made(GREEN),
      tagged(GREEN, [GREEN, RED]),
      tagged(BLUE, [BLUE, GREEN, RED]),
      untagged(RED, [BLUE, GREEN, RED]),
    ],
    see: (body) => assert.deepEqual(body, { version: 1, tags: [BLUE, GREEN] }),
  },
  {
    name: "nothing",
    given: withFlag,
    body: { addedTags: [], removedTags: [] },
    see: (body) => assert.deepEqual(body, { version: 1, tags: [RED] }),
  },
]);

scenarios(`DELETE ${TAGS}/`, [
  { name: "an unknown flag", url: "simple/red", expect: [404, "NotFoundError"] },
  { name: "one of its tags", url: "simple/red", given: withFlag, records: [untagged(RED, [RED])] },
  {
    name: "one that it does not have is recorded, as in the original",
    url: "nope/x",
    given: withFlag,
    records: [untagged({ type: "nope", value: "x" }, [RED])],
  },
]);

const BULK = "/api/admin/projects/a/tags";
const adding = (features: unknown, ...addedTags: object[]) => ({
  features,
  tags: { addedTags, removedTags: [] },
});

scenarios(`PUT ${BULK}`, [
  ...[
    {},
    { features: ["f"] },
    { features: ["f"], tags: { addedTags: [] } },
    adding("f"),
    adding(["f"], { type: "nope", value: "red" }),
  ].map((body) => ({ name: `refused: ${JSON.stringify(body)}`, given: withFlag, body, expect: invalid })),
  ...["nope", "other"].map((name) => ({
    name: `a flag that is not in the project: ${name}`,
    given: withFlag,
    body: adding(["f", name], GREEN),
    expect: [404, "NotFoundError"] as [number, string],
  })),
  {
    name: "no flags; the tags are created",
    given: withFlag,
    body: adding([], GREEN),
    records: [made(GREEN)],
  },
  {
    name: "repeated flags, recorded with the resulting tags",
    as: personal(4),
    given: withFlag,
    body: { features: ["f", "g", "f"], tags: { addedTags: [GREEN], removedTags: [RED] } },
    records: [
      made(GREEN),
      tagged(GREEN, [GREEN]),
      tagged(GREEN, [GREEN], "g"),
      untagged(RED, [GREEN]),
      untagged(RED, [GREEN], "g"),
    ],
    see: (_, { text }) => assert.equal(text, ""),
  },
]);

test("tagging a flag invalidates cached lists", async (t) => {
  const { request } = await openServer(t, withFlag(createWorld()));
  const paths = [TAGS, "/api/admin/tags", "/api/admin/projects/a/features"];
  const answers = async () => Promise.all(paths.map(async (path) => (await request(path)).text));
  const before = await answers();
  assert.deepEqual(await answers(), before);
  await request(TAGS, { method: "POST", body: GREEN });
  for (const [index, text] of (await answers()).entries()) {
    assert.notEqual(text, before[index], paths[index]);
    assert.match(text, /green/);
  }
});
