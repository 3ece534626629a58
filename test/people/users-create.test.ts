import assert from "node:assert/strict";
import { test } from "node:test";
import { badBodies, withCustomRoot } from "../support/bad-bodies.ts";
import { assertRecorded, openServer, type Scenario, scenarios, watchLog } from "../support/server.ts";
import { personal, SERVICE } from "../support/world.ts";

const USERS = "/api/admin/user-admin";
const PASSWORD = "Str0ng-Passw0rd!x9";
const body = { username: "nina", rootRole: 3 };

/** Creates a user, with this event. */
const makes = (name: string, sent: object, told: object, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  body: sent,
  expect: 201,
  records: [{ type: "user-created", data: { id: 5, ...told }, preData: null, project: null }],
  see: (answer, { headers }) => {
    assert.equal(headers.get("location"), "5");
    const { rootRole: _, ...names } = told as { rootRole: number };
    assert.partialDeepStrictEqual(answer, { id: 5, ...names, emailSent: false, seenAt: null });
    assert.equal(answer.rootRole, (sent as typeof body).rootRole, "as in the request");
  },
  ...rest,
});

const NINA = { username: "nina", rootRole: 3 };

scenarios(`POST ${USERS}`, [
  makes("an Admin may", body, NINA),
  makes("a service token may", body, NINA, { as: SERVICE }),
  {
    name: "the permission is checked before the body",
    as: personal(3),
    body: {},
    expect: [403, "NoAccessError"],
  },
  makes("ADMIN through a custom root role", body, NINA, {
    as: personal(5),
    given: withCustomRoot((w) => w, { name: "ADMIN" }),
    records: [{ type: "user-created", data: { id: 6, ...NINA }, createdBy: "user5" }],
    see: (answer) => assert.equal(answer.id, 6),
  }),
  makes(
    "every property",
    {
      username: "nina",
      name: "Nina",
      email: "Nina@Example.com",
      rootRole: 2,
      password: PASSWORD,
      sendEmail: false,
    },
    { name: "Nina", username: "nina", email: "nina@example.com", rootRole: 2 },
  ),
  makes(
    "an e-mail address alone",
    { email: "n@example.com", rootRole: 3 },
    { email: "n@example.com", rootRole: 3 },
  ),
  makes("null is the same as a missing property", { ...body, email: null, name: null }, NINA),
  makes("a role by its name", { ...body, rootRole: "Viewer" }, NINA),
  makes("a role by its name in another letter case", { ...body, rootRole: "vieWer" }, NINA),
  makes(
    "a custom root role",
    { ...body, rootRole: 8 },
    { ...NINA, rootRole: 8 },
    {
      given: (w) => w.add("role", { id: 8, name: "Keeper", type: "custom-root" }),
    },
  ),
  makes("white space around the username is removed", { ...body, username: " nina " }, NINA),
  makes("a name that another user has", { ...body, name: "Vic Viewer" }, { name: "Vic Viewer", ...NINA }),
  makes("a passphrase", { ...body, password: "correct horse battery staple" }, NINA),
  makes(
    "properties that a client can't set are ignored",
    { ...body, id: 77, createdAt: "x", accountType: "Service Account" },
    NINA,
  ),
  ...badBodies({}, [
    ["neither username nor e-mail address", { rootRole: 3, name: "Nina" }, "body.username"],
    ["null for both", { rootRole: 3, username: null, email: null }, "body.username"],
    ["an empty username", { ...body, username: "" }, "body.username"],
    ["a blank username", { ...body, username: "  " }, "body.username"],
    ["a username that is an object", { ...body, username: {} }, "body.username"],
    ["a username with NUL", { ...body, username: "a\0" }, "body.username"],
    ["a username that is too long", { ...body, username: "x".repeat(65537) }, "body.username"],
    ["a lone surrogate", `{"username":"\\ud800","rootRole":3}`, "body.username"],
    ["an invalid e-mail address", { rootRole: 3, email: "nina" }, "body.email"],
    ["an empty e-mail address", { ...body, email: "" }, "body.email"],
    ["an e-mail address that is a list", { ...body, email: ["n@example.com"] }, "body.email"],
    ["a name that is an object", { ...body, name: {} }, "body.name"],
    ["no role", { username: "nina" }, "body.rootRole"],
    ["a role that is null", { ...body, rootRole: null }, "body.rootRole"],
    ["an unknown role", { ...body, rootRole: 99 }, "body.rootRole"],
    ["an unknown role by name", { ...body, rootRole: "Boss" }, "body.rootRole"],
    ["a project role", { ...body, rootRole: 4 }, "body.rootRole"],
    ["a project role by name", { ...body, rootRole: "Owner" }, "body.rootRole"],
    ["a fraction as the role", { ...body, rootRole: 1.5 }, "body.rootRole"],
    ["a role out of range", `{"username":"nina","rootRole":1e300}`, "body.rootRole"],
    ["a password that is an object", { ...body, password: {} }, "body.password"],
    ["whether mail is sent as text", { ...body, sendEmail: "no" }, "body.sendEmail"],
    ["a username that is taken", { ...body, username: "admin" }, "body.username"],
    [
      "a username that is another user's e-mail address",
      { ...body, username: "Edith@example.com" },
      "body.username",
    ],
    ["an e-mail address that is taken", { rootRole: 3, email: "edith@example.com" }, "body.email"],
    [
      "an e-mail address that is taken in another letter case",
      { rootRole: 3, email: "EDITH@Example.com" },
      "body.email",
    ],
  ]),
  ...[
    "",
    "short",
    "Aa1!aaaa5a",
    "lower-case-0nly",
    "UPPER-CASE-0NLY",
    "No-Numbers!",
    "N0SpecialChar",
    "Aa1!".repeat(33),
  ].map(
    (password): Scenario => ({
      name: `the password ${password.slice(0, 20)}`,
      body: { ...body, password },
      expect: [400, password === "" ? "PasswordUndefinedError" : "OwaspValidationError"],
      see: ({ details }) => assert.equal(details[0].path, "body.password"),
    }),
  ),
]);

test("of two concurrent requests one succeeds, whichever takes longer", async (t) => {
  const { request, db } = await openServer(t);
  const recorded = watchLog(db);
  const make = (sent: object) => request(USERS, { method: "POST", body: { ...body, ...sent } });
  const replies = await Promise.all([
    make({ password: PASSWORD }),
    make({}),
    make({ email: "n@example.com" }),
  ]);
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 400, 400]);
  assertRecorded(recorded(), [{ type: "user-created", data: { id: 5, ...NINA } }]);
});

test("a new user can sign in, if there is a password", async (t) => {
  const { request } = await openServer(t);
  await request(USERS, { method: "POST", body: { ...body, password: PASSWORD } });
  await request(USERS, { method: "POST", body: { ...body, username: "invited" } });
  const signIn = (username: string) =>
    request("/auth/simple/login", { method: "POST", as: null, body: { username, password: PASSWORD } });
  assert.equal((await signIn("nina")).status, 200);
  assert.equal((await signIn("invited")).status, 401);
});
