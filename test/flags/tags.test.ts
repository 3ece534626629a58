import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";

const TAGS = "/api/admin/tags";
const RED = { type: "simple", value: "red" };
const withTags = (w: World) =>
  w
    .add("tagType", { name: "area" })
    .add("tag", RED)
    .project("a")
    .project("default")
    .feature("f", "a", { tags: [RED, { type: "simple", value: "Two Words" }] })
    .feature("g", "default", { tags: [{ type: "area", value: "shop" }] });

const invalid = [400, "ValidationError"] as [number, string];

scenarios(`GET ${TAGS}`, [
  {
    name: "by type, then value, used or not",
    as: personal(3),
    given: (w) => withTags(w).add("tag", { type: "area", value: "unused" }),
    see: (body) =>
      assert.deepEqual(body, {
        version: 1,
        tags: [
          { type: "area", value: "shop" },
          { type: "area", value: "unused" },
          { type: "simple", value: "Two Words" },
          RED,
        ],
      }),
  },
]);

scenarios(`GET ${TAGS}/`, [
  {
    name: "those of a type",
    url: "area",
    given: withTags,
    see: (body) => assert.deepEqual(body, { version: 1, tags: [{ type: "area", value: "shop" }] }),
  },
  {
    name: "an unknown type has none",
    url: "nope",
    see: (body) => assert.deepEqual(body, { version: 1, tags: [] }),
  },
  {
    name: "one",
    url: "simple/Two%20Words",
    given: withTags,
    see: (body) => assert.deepEqual(body, { version: 1, tag: { type: "simple", value: "Two Words" } }),
  },
  { name: "an unknown one", url: "simple/nope", expect: [404, "NotFoundError"] },
]);

scenarios(`POST ${TAGS}`, [
  ...[
    {},
    { type: "simple" },
    { value: "red" },
    { type: 12, value: "red" },
    { type: "simple", value: null },
    { type: "simple", value: "x" },
    { type: "simple", value: "x".repeat(51) },
    { type: "simple", value: ".." },
    { type: "nope", value: "red" },
  ].map((body) => ({ name: `refused: ${JSON.stringify(body)}`, body, expect: invalid })),
  { name: "an existing one", given: withTags, body: RED, expect: [409, "NameExistsError"] },
  {
    name: "by any user",
    as: personal(3),
    body: { type: "simple", value: " größer als " },
    expect: 201,
    records: [{ type: "tag-created", project: null, data: { type: "simple", value: "größer als" } }],
    see: (body, { headers }) => {
      assert.deepEqual(body, { version: 1, tag: { type: "simple", value: "größer als" } });
      assert.equal(headers.get("location"), "tags/simple/gr%C3%B6%C3%9Fer%20als");
    },
  },
]);

scenarios(`DELETE ${TAGS}/`, [
  ...[2, 3].map((id) => ({
    name: `user ${id}, who is not an Admin`,
    url: "simple/red",
    as: personal(id),
    given: withTags,
    expect: [403, "NoAccessError"] as [number, string],
    see: ({ message }: { message: string }) => assert.match(message, /ADMIN/),
  })),
  {
    name: "an unknown one is recorded, as in the original",
    url: "simple/nope",
    records: [{ type: "tag-deleted", project: null, data: { type: "simple", value: "nope" } }],
  },
]);

test("deleting a tag removes it from its flags", async (t) => {
  const { request } = await openServer(t, withTags(createWorld()));
  const path = "/api/admin/features/f/tags";
  assert.equal((await request(path)).body.tags.length, 2);
  const reply = await request(`${TAGS}/simple/red`, { method: "DELETE" });
  assert.deepEqual([reply.status, reply.text], [200, ""]);
  assert.deepEqual((await request(path)).body.tags, [{ type: "simple", value: "Two Words" }]);
  assert.equal((await request(`${TAGS}/simple/red`)).status, 404);
});
