import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const TAG_TYPES = "/api/admin/tag-types";
const refused = (name: string, body: unknown, what: RegExp) => ({
  name,
  body,
  expect: [400, "ValidationError"] as [number, string],
  see: ({ message }: { message: string }) => assert.match(message, what),
});
const withTeam = (w: World) =>
  w
    .add("tagType", { name: "team", description: "Whose it is", icon: "T" })
    .project("a")
    .feature("f", "a", { tags: [{ type: "team", value: "red" }] });

scenarios(`GET ${TAG_TYPES}`, [
  {
    name: "the built-in one, then the others by name",
    as: personal(3),
    given: (w) => withTeam(w).add("tagType", { name: "area" }),
    see: (body) =>
      assert.deepEqual(body, {
        version: 1,
        tagTypes: [
          { name: "simple", description: null, icon: null },
          { name: "area", description: null, icon: null },
          { name: "team", description: "Whose it is", icon: "T" },
        ],
      }),
  },
]);

scenarios(`GET ${TAG_TYPES}/`, [
  {
    name: "one by name",
    url: "team",
    as: personal(3),
    given: withTeam,
    see: (body) =>
      assert.deepEqual(body, {
        version: 1,
        tagType: { name: "team", description: "Whose it is", icon: "T" },
      }),
  },
  { name: "an unknown one", url: "nope", expect: [404, "NotFoundError"] },
]);

const INVALID = [
  refused("no name", {}, /^body\.name: is missing/),
  refused("an object as the name", { name: {} }, /^body\.name: must be text/),
  refused("a name that is too short", { name: "x" }, /^body\.name: must have 2 /),
  refused("a name that is too long", { name: "x".repeat(51) }, /^body\.name: must have 50 /),
  refused("a name that is not URL friendly", { name: "a b" }, /^body\.name: must be URL friendly/),
  refused("an object as the description", { name: "team", description: {} }, /^body\.description: /),
  refused("a list as the icon", { name: "team", icon: [] }, /^body\.icon: /),
];

scenarios(`POST ${TAG_TYPES}`, [
  ...INVALID,
  { name: "a name that is taken", body: { name: "simple" }, expect: [409, "NameExistsError"] },
  {
    name: "as an Editor; the response has what was sent",
    as: personal(2),
    body: { name: "team", unknown: 1 },
    expect: 201,
    records: [{ type: "tag-type-created", project: null, data: { name: "team" }, preData: null }],
    see: (body, { headers }) => {
      assert.deepEqual(body, { name: "team" });
      assert.equal(headers.get("location"), "tag-types/team");
    },
  },
  {
    name: "as a service, with every property",
    as: SERVICE,
    body: { name: "te", description: "", icon: null },
    expect: 201,
    records: [{ type: "tag-type-created", data: { name: "te", description: "", icon: null } }],
  },
]);

scenarios(`POST ${TAG_TYPES}/validate`, [
  ...INVALID,
  { name: "a name that is taken", body: { name: "simple" }, expect: [409, "NameExistsError"] },
  {
    name: "a valid one, as a viewer",
    as: personal(3),
    body: { name: "team", icon: "T" },
    see: (body) => assert.deepEqual(body, { valid: true, tagType: { name: "team", icon: "T" } }),
  },
]);

scenarios(`PUT ${TAG_TYPES}/`, [
  { ...refused("nothing to change", {}, /^body: must have a description or an icon/), url: "simple" },
  { ...refused("a list as the icon", { icon: [] }, /^body\.icon: /), url: "simple" },
  {
    name: "the given properties",
    url: "team",
    as: personal(2),
    given: withTeam,
    body: { description: "The owners" },
    records: [{ type: "tag-type-updated", data: { name: "team", description: "The owners" }, preData: null }],
  },
  {
    name: "an unknown one is recorded, as in the original",
    url: "nope",
    body: { icon: "x" },
    records: [{ type: "tag-type-updated", data: { name: "nope", icon: "x" } }],
  },
]);

scenarios(`DELETE ${TAG_TYPES}/`, [{ name: "an unknown one", url: "nope", expect: [404, "NotFoundError"] }]);

test("a changed tag type keeps the rest, and deleting it deletes its tags", async (t) => {
  const { request } = await openServer(t, withTeam(createWorld()));
  await request(`${TAG_TYPES}/team`, { method: "PUT", body: { icon: null } });
  const { body } = await request(`${TAG_TYPES}/team`);
  assert.deepEqual(body.tagType, { name: "team", description: "Whose it is", icon: null });
  const reply = await request(`${TAG_TYPES}/team`, { method: "DELETE", as: personal(2) });
  assert.deepEqual([reply.status, reply.text], [200, ""]);
  for (const path of ["tags", "features/f/tags"])
    assert.deepEqual((await request(`/api/admin/${path}`)).body, { version: 1, tags: [] });
  const { events } = (await request("/api/admin/events")).body;
  assert.equal(events[0].type, "tag-type-deleted");
  assert.deepEqual(events[0].preData, { name: "team", description: "Whose it is", icon: null });
});
