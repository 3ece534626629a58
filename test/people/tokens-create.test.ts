import assert from "node:assert/strict";
import { test } from "node:test";
import { hashSecret } from "../../src/access/token.ts";
import { badBodies } from "../support/bad-bodies.ts";
import { assertRecorded, openServer, type Scenario, scenarios, watchLog } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const TOKENS = "/api/admin/user/tokens";
const LATER = "2099-01-01T00:00:00.000Z";
const body = { description: "laptop", expiresAt: LATER };

/** Gives user 3 this many tokens in addition to the existing one. */
const withTokens = (count: number) => (w: World) => {
  for (let n = 0; n < count; n++)
    w.add("token", { type: "user", name: `t${n}`, hash: hashSecret(`t${n}`), userId: 3 });
  return w;
};

const makes = (name: string, sent: object, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  as: personal(3),
  body: sent,
  expect: 201,
  records: [{ type: "pat-created", createdBy: "user3", createdByUserId: 3, preData: null, project: null }],
  see: ({ secret, id, createdAt: _, ...token }) => {
    assert.match(secret, /^user:[0-9a-f]{56}$/);
    assert.ok(Number.isInteger(id));
    const expected = sent as typeof body;
    assert.deepEqual(token, {
      description: expected.description,
      expiresAt: new Date(expected.expiresAt).toISOString(),
      userId: 3,
      seenAt: null,
    });
  },
  ...rest,
});

scenarios(`POST ${TOKENS}`, [
  makes("a Viewer may", body),
  makes("a time with an offset is stored in UTC", { ...body, expiresAt: "2099-01-01T02:00:00+02:00" }),
  makes(
    "a name that another user's token has",
    { ...body, description: "test" },
    {
      as: personal(1),
      given: (w) => w.add("token", { type: "user", name: "laptop", hash: hashSecret("x"), userId: 3 }),
      body,
      records: [{ type: "pat-created", createdByUserId: 1 }],
      see: ({ userId }) => assert.equal(userId, 1),
    },
  ),
  makes("a name in another letter case", { ...body, description: "Test" }),
  makes("properties that a client can't set are ignored", { ...body, secret: "user:mine", userId: 1, id: 7 }),
  makes("the tenth", body, { given: withTokens(8) }),
  {
    name: "an eleventh token",
    as: personal(3),
    given: withTokens(9),
    body,
    expect: [403, "OperationDeniedError"],
  },
  { name: "a service token has no user", as: SERVICE, body, expect: [403, "NoAccessError"] },
  {
    name: "a name that another of one's tokens has",
    as: personal(3),
    body: { ...body, description: "test" },
    expect: [409, "NameExistsError"],
  },
  ...badBodies({ as: personal(3) }, [
    ["no name", { expiresAt: LATER }, "body.description"],
    ["an empty name", { ...body, description: "" }, "body.description"],
    ["a name that is null", { ...body, description: null }, "body.description"],
    ["a name that is an object", { ...body, description: {} }, "body.description"],
    ["a name that is too long", { ...body, description: "x".repeat(65537) }, "body.description"],
    ["a name with NUL", { ...body, description: "\0" }, "body.description"],
    ["a lone surrogate", `{"description":"\\udc00","expiresAt":"${LATER}"}`, "body.description"],
    ["no end", { description: "laptop" }, "body.expiresAt"],
    ["null as the expiry", { ...body, expiresAt: null }, "body.expiresAt"],
    ["a number as the expiry", { ...body, expiresAt: 4_070_908_800_000 }, "body.expiresAt"],
    ["an invalid expiry", { ...body, expiresAt: "soon" }, "body.expiresAt"],
    ["a date without a time", { ...body, expiresAt: "2099-01-01" }, "body.expiresAt"],
    ["a date that does not exist", { ...body, expiresAt: "2099-02-30T00:00:00.000Z" }, "body.expiresAt"],
    ["an expiry in the past", { ...body, expiresAt: "2020-01-01T00:00:00.000Z" }, "body.expiresAt"],
    [
      "an expiry beyond the year 9999",
      { ...body, expiresAt: "+010000-01-01T00:00:00.000Z" },
      "body.expiresAt",
    ],
  ]),
]);

test("the secret works at once, is shown only once, and is not stored", async (t) => {
  const { request, db, logged } = await openServer(t);
  const { secret } = (await request(TOKENS, { method: "POST", as: personal(3), body })).body;
  assert.equal((await request("/api/admin/notifications", { as: secret })).status, 200);
  assert.equal(
    (await request("/api/admin/user-admin/1", { as: secret })).status,
    403,
    "it has its user's rights",
  );
  assert.ok(!(await request("/api/admin/events")).text.includes(secret.slice(5)));
  assert.ok(!JSON.stringify(logged).includes(secret.slice(5)));
  assert.ok(!db.serialize().includes(secret.slice(5)));
});

test("of two concurrent requests one succeeds, also if there is room for only one", async (t) => {
  const { request, db } = await openServer(t, withTokens(8)(createWorld()));
  const recorded = watchLog(db);
  const make = (description: string) =>
    request(TOKENS, { method: "POST", as: personal(3), body: { ...body, description } });
  assert.deepEqual(
    (await Promise.all([make("a"), make("a")])).map(({ status }) => status).toSorted(),
    [201, 409],
  );
  assert.deepEqual(
    (await Promise.all([make("b"), make("c")])).map(({ status }) => status),
    [403, 403],
  );
  assertRecorded(recorded(), [{ type: "pat-created" }]);
});
