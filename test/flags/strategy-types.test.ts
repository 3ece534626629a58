import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRecorded, openServer, type Scenario, scenarios, watchLog } from "../support/server.ts";
import { personal, SERVICE } from "../support/world.ts";

const TYPES = "/api/admin/strategies";
const WRONG: [number, string] = [400, "ValidationError"];
const GEO = { name: "geo", description: "By country", parameters: [{ name: "countries", type: "list" }] };

const wrong = (body: unknown, path: string): Scenario => ({
  name: `${JSON.stringify(body).slice(0, 100)} is refused for ${path}`,
  body,
  expect: WRONG,
  see: ({ details }) => assert.equal(details[0].path, `body.${path}`),
});

scenarios(`GET ${TYPES}`, [
  {
    name: "the built-in ones, in their order",
    as: personal(3),
    see: ({ strategies }) =>
      assert.deepEqual(
        strategies.map(({ name }: { name: string }) => name),
        ["flexibleRollout", "default", "userWithId", "remoteAddress", "applicationHostname"],
      ),
  },
  {
    name: "one of them",
    url: `${TYPES}/userWithId`,
    see: ({ parameters, ...type }) => {
      assert.deepEqual(parameters, [{ name: "userIds", type: "list", description: "", required: false }]);
      assert.partialDeepStrictEqual(type, { displayName: "UserIDs", editable: false, deprecated: true });
    },
  },
  { name: "an unknown one", url: `${TYPES}/nosuch`, expect: [404, "NotFoundError"] },
]);

scenarios(`POST ${TYPES}`, [
  {
    name: "an Editor",
    as: personal(2),
    body: GEO,
    expect: 201,
    records: [
      { type: "strategy-created", project: null, data: { ...GEO, editable: true, deprecated: false } },
    ],
    see: (body, { headers }) => {
      assert.equal(headers.get("location"), "strategies/geo");
      assert.deepEqual(body, { displayName: null, editable: true, deprecated: false, title: null, ...GEO });
    },
  },
  {
    name: "a service token, with the minimum",
    as: SERVICE,
    body: { name: "bare", parameters: [] },
    expect: 201,
    records: [{ type: "strategy-created" }],
    see: ({ description }) => assert.equal(description, null),
  },
  { name: "a name that is taken", body: { ...GEO, name: "default" }, expect: [409, "NameExistsError"] },
  wrong({ parameters: [] }, "name"),
  wrong({ ...GEO, name: [] }, "name"),
  wrong({ ...GEO, name: "a/b" }, "name"),
  wrong({ ...GEO, name: ".." }, "name"),
  wrong({ ...GEO, name: "x".repeat(101) }, "name"),
  wrong({ name: "geo" }, "parameters"),
  wrong({ ...GEO, parameters: null }, "parameters"),
  wrong({ ...GEO, parameters: [{ type: "list" }] }, "parameters.0.name"),
  wrong({ ...GEO, parameters: [{ name: "x", type: "odd" }] }, "parameters.0.type"),
  wrong({ ...GEO, parameters: [{ name: "x", type: "list", required: 2 }] }, "parameters.0.required"),
  wrong({ ...GEO, description: [] }, "description"),
  wrong({ ...GEO, title: [] }, "title"),
]);

scenarios(`PUT ${TYPES}/default`, [
  { name: "a built-in one", body: GEO, expect: [403, "InvalidOperationError"] },
  { name: "an unknown one", url: `${TYPES}/nosuch`, body: GEO, expect: [404, "NotFoundError"] },
  wrong({}, "parameters"),
]);

scenarios(`DELETE ${TYPES}/default`, [
  { name: "a built-in one", expect: [403, "InvalidOperationError"] },
  { name: "an unknown one", url: `${TYPES}/nosuch`, expect: [404, "NotFoundError"] },
]);

for (const [verb, type] of [
  ["deprecate", "strategy-deprecated"],
  ["reactivate", "strategy-reactivated"],
] as const) {
  scenarios(`POST ${TYPES}/default/${verb}`, [
    { name: "an Editor", as: personal(2), records: [{ type, data: { name: "default" } }] },
    { name: "an unknown one", url: `${TYPES}/nosuch/${verb}`, expect: [404, "NotFoundError"] },
  ]);
}

test("a type is changed, deprecated and deleted; strategies of it stay", async (t) => {
  const { request, db } = await openServer(t);
  const own = `${TYPES}/geo`;
  await request(TYPES, { method: "POST", body: GEO });
  const recorded = watchLog(db);
  await request(own, { method: "PUT", body: { parameters: [] } });
  await request(own, { method: "PUT", body: { parameters: [], description: null } });
  await request(`${own}/deprecate`, { method: "POST" });
  const { body } = await request(own);
  assert.partialDeepStrictEqual(body, { description: null, parameters: [], deprecated: true });
  assert.equal((await request(own, { method: "DELETE" })).status, 200);
  assert.equal((await request(own)).status, 404);
  assertRecorded(recorded(), [
    { type: "strategy-updated", data: { name: "geo", description: "By country", parameters: [] } },
    { type: "strategy-updated", preData: null },
    { type: "strategy-deprecated" },
    { type: "strategy-deleted", data: { name: "geo" }, preData: null },
  ]);
});
