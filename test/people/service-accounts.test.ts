import assert from "node:assert/strict";
import { test } from "node:test";
import { hashSecret } from "../../src/access/token.ts";
import { badBodies } from "../support/bad-bodies.ts";
import { assertRecorded, openServer, type Scenario, scenarios, watchLog } from "../support/server.ts";
import { personal, SERVICE, type World } from "../support/world.ts";

const ACCOUNTS = "/api/admin/service-account";
const ACCOUNT = `${ACCOUNTS}/5`;
const TOKENS = `${ACCOUNTS}/5/token`;
const LATER = "2099-01-01T00:00:00.000Z";

/** Service account 5 with one token, the fifth one. */
const robot = (w: World) =>
  w.user({ username: "robot", name: "Robot", rootRole: 2, accountType: "Service Account" });

/** Only Admins and service tokens have access. */
const forAdmins = (common: Partial<Scenario>, done: Partial<Scenario>): Scenario[] => [
  { ...common, ...done, name: "an Admin may" },
  { ...common, ...done, name: "a service token may", as: SERVICE },
];

scenarios(`GET ${ACCOUNTS}`, [
  ...forAdmins({}, { see: ({ serviceAccounts }) => assert.deepEqual(serviceAccounts, []) }),
  {
    name: "the service accounts, with their tokens and without secrets, and the root roles",
    given: robot,
    see: ({ serviceAccounts, rootRoles }, { text }) => {
      assert.deepEqual(
        rootRoles.map(({ name }: { name: string }) => name),
        ["Admin", "Editor", "Viewer"],
      );
      const [account, ...others] = serviceAccounts;
      assert.partialDeepStrictEqual(account, {
        id: 5,
        username: "robot",
        name: "Robot",
        rootRole: 2,
        isAPI: false,
      });
      assert.equal(others.length, 0);
      assert.partialDeepStrictEqual(account.tokens, [{ userId: 5, description: "test", seenAt: null }]);
      assert.ok(!text.includes("secret") && !text.includes(personal(5)));
    },
  },
]);

const body = { username: "robot", name: "Robot", rootRole: 2 };
const ROBOT = { id: 5, name: "Robot", username: "robot", rootRole: 2 };

scenarios(`POST ${ACCOUNTS}`, [
  ...forAdmins(
    { body },
    {
      expect: 201,
      records: [{ type: "service-account-created", data: ROBOT, preData: null, project: null }],
      see: (account, { headers }) => {
        assert.partialDeepStrictEqual(account, { ...ROBOT, tokens: [], seenAt: null });
        assert.equal(headers.get("location"), "5");
      },
    },
  ),
  ...badBodies({}, [
    ["no username", { ...body, username: undefined }, "body.username"],
    ["an empty username", { ...body, username: "" }, "body.username"],
    ["a blank username", { ...body, username: " " }, "body.username"],
    ["a username that is an object", { ...body, username: {} }, "body.username"],
    ["a username that is null", { ...body, username: null }, "body.username"],
    ["no name", { ...body, name: undefined }, "body.name"],
    ["a name that is a list", { ...body, name: ["Robot"] }, "body.name"],
    ["no role", { ...body, rootRole: undefined }, "body.rootRole"],
    ["a role as text", { ...body, rootRole: "Editor" }, "body.rootRole"],
    ["an unknown role", { ...body, rootRole: 99 }, "body.rootRole"],
    ["a project role", { ...body, rootRole: 4 }, "body.rootRole"],
  ]),
  {
    name: "a username taken by a person",
    body: { ...body, username: "admin" },
    expect: [409, "NameExistsError"],
  },
  { name: "a username taken by a service account", given: robot, body, expect: [409, "NameExistsError"] },
]);

scenarios(`PUT ${ACCOUNTS}`, [
  ...forAdmins(
    { given: robot, url: ACCOUNT, body: { name: "Marvin", rootRole: 3 } },
    {
      records: [
        {
          type: "service-account-updated",
          preData: ROBOT,
          data: { ...ROBOT, name: "Marvin", rootRole: 3 },
        },
      ],
      see: (account) =>
        assert.partialDeepStrictEqual(account, { id: 5, name: "Marvin", username: "robot", rootRole: 3 }),
    },
  ),
  {
    name: "omitted and null properties stay",
    given: robot,
    url: ACCOUNT,
    body: { name: null },
    records: [{ type: "service-account-updated", data: ROBOT }],
    see: (account) => assert.partialDeepStrictEqual(account, ROBOT),
  },
  ...badBodies({ given: robot, url: ACCOUNT }, [
    ["an empty name", { name: "" }, "body.name"],
    ["a name that is an object", { name: {} }, "body.name"],
    ["an unknown role", { rootRole: 99 }, "body.rootRole"],
    ["a role by its name", { rootRole: "Admin" }, "body.rootRole"],
  ]),
  { name: "a person", url: `${ACCOUNTS}/1`, body: { rootRole: 3 }, expect: [404, "NotFoundError"] },
  { name: "an unknown id", url: `${ACCOUNTS}/99`, body: {}, expect: [404, "NotFoundError"] },
  {
    name: "an id that is not a number",
    url: `${ACCOUNTS}/robot`,
    body: {},
    expect: [400, "ValidationError"],
  },
]);

scenarios(`DELETE ${ACCOUNTS}`, [
  ...forAdmins(
    { given: robot, url: ACCOUNT },
    { records: [{ type: "service-account-deleted", preData: ROBOT, data: null }] },
  ),
  {
    name: "an Admin account, which never counts as the last Admin",
    given: (w) => w.user({ username: "robot", rootRole: 1, accountType: "Service Account" }),
    url: ACCOUNT,
    records: [{ type: "service-account-deleted" }],
  },
  { name: "a person", url: `${ACCOUNTS}/1`, expect: [404, "NotFoundError"] },
  { name: "an unknown id", url: `${ACCOUNTS}/99`, expect: [404, "NotFoundError"] },
]);

scenarios(`GET ${TOKENS}`, [
  ...forAdmins(
    { given: robot },
    { see: ({ pats }) => assert.partialDeepStrictEqual(pats, [{ userId: 5, description: "test" }]) },
  ),
  { name: "of an unknown account", expect: [404, "NotFoundError"] },
  { name: "of a person", url: `${ACCOUNTS}/1/token`, expect: [404, "NotFoundError"] },
]);

const token = { description: "ci", expiresAt: LATER };

scenarios(`POST ${TOKENS}`, [
  ...forAdmins(
    { given: robot, body: token },
    {
      expect: 201,
      records: [{ type: "pat-created", data: { ...token, secret: "***" } }],
      see: ({ secret, ...made }) => {
        assert.match(secret, /^user:[0-9a-f]{56}$/);
        assert.partialDeepStrictEqual(made, { ...token, userId: 5, seenAt: null });
      },
    },
  ),
  ...badBodies({ given: robot }, [
    ["no description", { expiresAt: LATER }, "body.description"],
    ["an empty description", { ...token, description: "" }, "body.description"],
    ["no end", { description: "ci" }, "body.expiresAt"],
    ["null as the expiry", { ...token, expiresAt: null }, "body.expiresAt"],
    ["an expiry in the past", { ...token, expiresAt: "2020-01-01T00:00:00Z" }, "body.expiresAt"],
    ["an invalid expiry", { ...token, expiresAt: "soon" }, "body.expiresAt"],
  ]),
  {
    name: "a description that is taken",
    given: robot,
    body: { ...token, description: "test" },
    expect: [409, "NameExistsError"],
  },
  {
    name: "an eleventh token",
    given: (w) => {
      robot(w);
      for (let n = 0; n < 9; n++)
        w.add("token", { type: "user", name: `t${n}`, hash: hashSecret(`t${n}`), userId: 5 });
      return w;
    },
    body: token,
    expect: [403, "OperationDeniedError"],
  },
  { name: "for nobody", body: token, expect: [404, "NotFoundError"] },
  { name: "for a person", url: `${ACCOUNTS}/1/token`, body: token, expect: [404, "NotFoundError"] },
]);

scenarios(`DELETE ${TOKENS}`, [
  ...forAdmins(
    { given: robot, url: `${TOKENS}/8` },
    { records: [{ type: "pat-deleted", data: { id: 8, description: "test", userId: 5, secret: "***" } }] },
  ),
  { name: "a person's token", given: robot, url: `${TOKENS}/1`, expect: [404, "NotFoundError"] },
  { name: "a token of another account", given: robot, url: `${TOKENS}/5`, expect: [404, "NotFoundError"] },
  { name: "an unknown token", given: robot, url: `${TOKENS}/99`, expect: [404, "NotFoundError"] },
  { name: "of nobody", url: `${TOKENS}/1`, expect: [404, "NotFoundError"] },
]);

test("a service account has the rights of its role, until it or its token is deleted", async (t) => {
  const { request, db } = await openServer(t);
  const post = (path: string, sent: object) => request(path, { method: "POST", body: sent });
  const { id } = (await post(ACCOUNTS, { ...body, rootRole: 3 })).body;
  const { secret } = (await post(`${ACCOUNTS}/${id}/token`, token)).body;
  const status = async (path: string) => (await request(path, { as: secret })).status;
  assert.equal(await status("/api/admin/user"), 200);
  assert.equal(await status("/api/admin/user-admin"), 403);
  await request(`${ACCOUNTS}/${id}`, { method: "PUT", body: { rootRole: 1 } });
  assert.equal(await status("/api/admin/user-admin"), 200, "at once");
  const { body: listed } = await request("/api/admin/user-admin");
  assert.ok(
    listed.users.every((user: { id: number }) => user.id !== id),
    "it is not a person",
  );
  const recorded = watchLog(db);
  await request(`${ACCOUNTS}/${id}`, { method: "DELETE" });
  assert.equal(await status("/api/admin/user"), 401);
  assertRecorded(recorded(), [{ type: "service-account-deleted" }]);
});
