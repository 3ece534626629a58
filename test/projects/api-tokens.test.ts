import assert from "node:assert/strict";
import { test } from "node:test";
import { badBodies, withCustomRole, withCustomRoot } from "../support/bad-bodies.ts";
import { openServer, type Scenario, scenarios } from "../support/server.ts";
import { CLIENT, personal, SERVICE, type World } from "../support/world.ts";

const TOKENS = "/api/admin/api-tokens";
const NO_ACCESS: [number, string] = [403, "NoAccessError"];
const body = { tokenName: "app", type: "client", environment: "development" };
const inPath = encodeURIComponent;

/** A token as shown, without generated values. */
const told = (more: object = {}) => ({
  tokenName: "app",
  environment: "development",
  projects: ["*"],
  type: "client",
  username: "app",
  alias: null,
  project: "*",
  ...more,
});

const makes = (name: string, sent: object, more: object = {}, rest: Partial<Scenario> = {}): Scenario => ({
  name,
  given: (w) => w.project("a").project("b"),
  body: sent,
  expect: 201,
  see: ({ secret, createdAt: _, ...token }, { headers }) => {
    assert.deepEqual(token, told(more));
    const scope = `${token.projects.length === 1 ? token.projects[0] : "[]"}:${token.environment}.`;
    assert.ok(secret.startsWith(scope) && /^[0-9a-f]{56}$/.test(secret.slice(scope.length)));
    assert.equal(headers.get("location"), "api-tokens");
  },
  records: [
    {
      type: "api-token-created",
      project: told(more).project,
      environment: told(more).environment,
      data: told(more),
      preData: null,
    },
  ],
  ...rest,
});

const root = (...names: string[]) => withCustomRoot((w) => w, ...names.map((name) => ({ name })));

scenarios(`POST ${TOKENS}`, [
  { name: "an Editor may not", as: personal(2), body, expect: NO_ACCESS },
  makes("a client token", body),
  makes(
    "backend, a newer name: the answer has it, lists and events the older one",
    { ...body, type: "Backend" },
    {},
    { see: ({ type }) => assert.equal(type, "backend") },
  ),
  makes("by a service token", body, {}, { as: SERVICE }),
  makes("an end", { ...body, expiresAt: "2099-01-01T00:00:00Z" }, { expiresAt: "2099-01-01T00:00:00.000Z" }),
  makes("for one project", { ...body, projects: ["a"] }, { projects: ["a"], project: "a" }),
  makes("for several", { ...body, projects: ["a", "b", "a"] }, { projects: ["a", "b"], project: "a,b" }),
  makes("for all projects, whatever else is named", { ...body, projects: ["a", "*"] }),
  makes(
    "older names",
    { username: "app", type: "FRONTEND", environment: "production", project: "b" },
    { type: "frontend", environment: "production", projects: ["b"], project: "b" },
  ),
  makes("a token for scripts", { tokenName: "app", type: "admin" }, { type: "admin", environment: "*" }),
  makes(
    "with the required properties",
    { ...body, type: "admin", environment: "*", projects: ["*"] },
    { type: "admin", environment: "*" },
  ),
  makes(
    "the environment defaults to the one called default",
    { tokenName: "app", type: "client" },
    { environment: "default" },
    { given: (w) => w.environment("default") },
  ),
  makes(
    "a custom role can create its kind",
    body,
    {},
    {
      as: personal(5),
      given: root("CREATE_CLIENT_API_TOKEN"),
    },
  ),
  {
    name: "but no others",
    as: personal(5),
    given: root("CREATE_CLIENT_API_TOKEN"),
    body: { ...body, type: "frontend" },
    expect: NO_ACCESS,
  },
  {
    name: "nor one for the whole API",
    as: personal(5),
    given: root("CREATE_CLIENT_API_TOKEN", "CREATE_FRONTEND_API_TOKEN"),
    body: { tokenName: "app", type: "admin" },
    expect: NO_ACCESS,
  },
  {
    name: "nor one for a hidden project",
    as: personal(5),
    given: (w) => root("CREATE_CLIENT_API_TOKEN")(w.project("p", { mode: "private" })),
    body: { ...body, projects: ["p"] },
    expect: NO_ACCESS,
  },
  {
    name: "one for several projects gets the name of the hidden one",
    given: (w) => w.project("a").project("p", { mode: "private" }),
    body: { ...body, projects: ["a", "p"] },
    expect: 201,
    records: [{ type: "api-token-created", project: "p" }],
  },
  ...badBodies({ given: (w: World) => w.project("a") }, [
    ["no name", { type: "client" }, "body.tokenName"],
    ["an empty name", { ...body, tokenName: "" }, "body.tokenName"],
    ["both names", { ...body, username: "x" }, "body.username"],
    ["no type", { tokenName: "x" }, "body.type"],
    ["an unknown type", { ...body, type: "user" }, "body.type"],
    ["an object as the type", { ...body, type: {} }, "body.type"],
    ["an unknown environment", { ...body, environment: "moon" }, "body.environment"],
    ["no environment, where none is called default", { tokenName: "x", type: "client" }, "body.environment"],
    ["all environments", { ...body, environment: "*" }, "body.environment"],
    ["an unknown project", { ...body, projects: ["a", "nope"] }, "body.projects"],
    ["no project", { ...body, projects: [] }, "body.projects"],
    ["projects as text", { ...body, projects: "a" }, "body.projects"],
    ["a service token for a project", { tokenName: "x", type: "admin", projects: ["a"] }, "body.projects"],
    ["a service token for an environment", { ...body, type: "admin" }, "body.environment"],
    ["an invalid expiry", { ...body, expiresAt: "soon" }, "body.expiresAt"],
  ]),
]);

const names = ({ tokens }: { tokens: Array<{ tokenName: string }> }) =>
  tokens.map(({ tokenName }) => tokenName);

const ofProject =
  (name: string, hash: string, ...projects: string[]) =>
  (w: World) =>
    w.add("token", { type: "client", name, hash: hash.repeat(64), projects, environment: "development" });

scenarios(`GET ${TOKENS}`, [
  { name: "a Viewer may not", as: personal(3), expect: NO_ACCESS },
  {
    name: "secrets are masked, and personal tokens omitted",
    see: ({ tokens }, { text }) => {
      assert.deepEqual(
        tokens.map(({ secret, type }: Record<string, string>) => [secret, type]),
        [
          ["*:*.*****-5", "admin"],
          ["*:development.*****-6", "client"],
          ["*:development.*****-7", "frontend"],
        ],
      );
      for (const secret of [SERVICE, CLIENT]) assert.ok(!text.includes(secret));
      assert.deepEqual(Object.keys(tokens[0]).toSorted(), [
        ...["alias", "createdAt", "environment", "expiresAt", "project", "projects", "secret", "seenAt"],
        ...["tokenName", "type", "username"],
      ]);
    },
  },
  {
    name: "an Editor sees those for applications, except for hidden projects",
    as: personal(2),
    given: (w) =>
      ofProject(
        "hidden",
        "a",
        "p",
      )(ofProject("seen", "b", "a")(w.project("a").project("p", { mode: "private" }))),
    see: (answer) => assert.deepEqual(names(answer), ["the client token", "the frontend token", "seen"]),
  },
  {
    name: "by name",
    url: `${TOKENS}/the%20client%20token`,
    see: (answer) => assert.deepEqual(names(answer), ["the client token"]),
  },
  {
    name: "an unknown name",
    url: `${TOKENS}/nope`,
    see: (answer) => assert.deepEqual(answer, { tokens: [] }),
  },
]);

const LATER = { expiresAt: "2099-01-01T00:00:00.000Z" };
const own = told({ tokenName: "the client token", username: "the client token" });

scenarios(`PUT ${TOKENS}/`, [
  { name: "an Editor may not", url: inPath(CLIENT), as: personal(2), body: LATER, expect: NO_ACCESS },
  ...[CLIENT, "*:development.*****-6"].map(
    (secret): Scenario => ({
      name: `by ${secret.slice(0, 20)}`,
      url: inPath(secret),
      body: LATER,
      records: [
        {
          type: "api-token-updated",
          project: "*",
          environment: "development",
          data: { ...own, ...LATER, seenAt: null },
          preData: { ...own, expiresAt: null, seenAt: null },
        },
      ],
    }),
  ),
  { name: "an unknown one", url: "nope", body: LATER },
  { name: "another one's masked secret", url: inPath("a:development.*****-6"), body: LATER },
  { name: "a personal token", url: inPath(personal(3)), body: LATER },
  {
    name: "of a kind without permission",
    url: inPath(CLIENT),
    as: personal(5),
    given: root("UPDATE_FRONTEND_API_TOKEN"),
    body: LATER,
    expect: NO_ACCESS,
  },
  ...badBodies({ url: inPath(CLIENT) }, [
    ["nothing", {}, "body.expiresAt"],
    ["no time", { expiresAt: "x" }, "body.expiresAt"],
  ]),
]);

const DELETED = [
  { type: "api-token-deleted", data: null, preData: { ...own, expiresAt: null, seenAt: null } },
] as const;

scenarios(`DELETE ${TOKENS}/`, [
  { name: "an Editor may not", url: inPath(CLIENT), as: personal(2), expect: NO_ACCESS },
  { name: "by its secret", url: inPath(CLIENT), records: DELETED },
  { name: "by its masked secret", url: inPath("*:development.*****-6"), records: DELETED },
  { name: "an unknown one", url: "nope" },
  { name: "a personal token", url: inPath(personal(3)) },
  {
    name: "one for the whole API needs ADMIN",
    url: inPath(SERVICE),
    as: personal(5),
    given: root("DELETE_CLIENT_API_TOKEN"),
    expect: NO_ACCESS,
  },
]);

const PROJECT = "/api/admin/projects/a/api-tokens";
const inProject = (w: World) => w.project("a").project("b").member("a", 3);
const both = (w: World) => ofProject("both", "b", "a", "b")(ofProject("one", "a", "a")(inProject(w)));

scenarios(`GET ${PROJECT}`, [
  { name: "no role in the project", as: personal(4), given: inProject, expect: NO_ACCESS },
  { name: "an unknown project", expect: [404, "NotFoundError"] },
  {
    name: "a hidden project",
    as: personal(4),
    given: (w) => w.project("a", { mode: "private" }),
    expect: NO_ACCESS,
  },
  {
    name: "those that name the project",
    as: personal(3),
    given: both,
    see: (answer) => assert.deepEqual(names(answer), ["one", "both"]),
  },
  {
    name: "one that includes a hidden project, without its name",
    as: personal(3),
    given: (w) =>
      ofProject("both", "b", "a", "b")(w.project("a").project("b", { mode: "private" }).member("a", 3)),
    see: ({ tokens: [{ secret, project, projects }] }) =>
      assert.deepEqual([secret, project, projects], ["[]:development.*****-8", "a", ["a"]]),
  },
]);

const scoped = { ...body, projects: ["a"] };

scenarios(`POST ${PROJECT}`, [
  { name: "no role in the project", as: personal(4), given: inProject, body: scoped, expect: NO_ACCESS },
  {
    name: "read-only access",
    as: personal(3),
    given: withCustomRole((w) => w.project("a"), { name: "READ_PROJECT_API_TOKEN" }),
    body: scoped,
    expect: NO_ACCESS,
  },
  { name: "an unknown project", body: scoped, expect: [404, "NotFoundError"] },
  makes("a Member may", scoped, { projects: ["a"], project: "a" }, { as: personal(3), given: inProject }),
  ...badBodies({ given: inProject }, [
    ["for another project", { ...body, projects: ["b"] }, "body.projects"],
    ["for all projects", body, "body.projects"],
    ["for other projects too", { ...body, projects: ["a", "b"] }, "body.projects"],
    ["for scripts", { tokenName: "x", type: "admin", projects: ["a"] }, "body.projects"],
    ["an unknown environment", { ...scoped, environment: "moon" }, "body.environment"],
  ]),
]);

scenarios(`DELETE ${PROJECT}/`, [
  { name: "no role in the project", url: "x", as: personal(4), given: inProject, expect: NO_ACCESS },
  {
    name: "one for this project alone",
    url: inPath("a:development.*****-8"),
    as: personal(3),
    given: both,
    records: [{ type: "api-token-deleted", project: "a" }],
  },
  {
    name: "one for other projects too",
    url: inPath("[]:development.*****-9"),
    given: both,
    expect: [400, "ValidationError"],
  },
  { name: "one for all projects", url: inPath(CLIENT), given: both, expect: [404, "NotFoundError"] },
  { name: "an unknown one", url: "nope", given: both, expect: [404, "NotFoundError"] },
]);

const PATS = "/api/admin/user/tokens";

scenarios(`GET ${PATS}`, [
  { name: "a service token has no user", as: SERVICE, expect: NO_ACCESS },
  {
    name: "the caller's own",
    as: personal(3),
    see: ({ pats }) => {
      const { createdAt: _, ...token } = pats[0];
      const expected = { id: 3, description: "test", userId: 3, expiresAt: null, seenAt: null };
      assert.deepEqual([pats.length, token], [1, expected]);
    },
  },
]);

scenarios(`DELETE ${PATS}/`, [
  { name: "a service token has no user", url: "3", as: SERVICE, expect: NO_ACCESS },
  { name: "another's", url: "1", as: personal(3), expect: [404, "NotFoundError"] },
  { name: "an unknown one", url: "99", as: personal(3), expect: [404, "NotFoundError"] },
  { name: "not a number", url: "x", as: personal(3), expect: [400, "ValidationError"] },
  {
    name: "the caller's own",
    url: "3",
    as: personal(3),
    records: [{ type: "pat-deleted", preData: null }],
  },
]);

test("a token works at once and until it expires", async (t) => {
  const { request, db, logged } = await openServer(t);
  const make = async () => {
    const sent = { tokenName: "s", type: "admin" };
    return (await request(TOKENS, { method: "POST", body: sent })).body.secret as string;
  };
  const status = async (as: string) => (await request("/api/admin/user", { as })).status;
  const [deleted, ended] = [await make(), await make()];
  assert.deepEqual([await status(deleted), await status(ended)], [200, 200]);
  await request(`${TOKENS}/${inPath(deleted)}`, { method: "DELETE" });
  const refused = await request(`${TOKENS}/${inPath(ended)}`, { method: "DELETE", as: personal(3) });
  assert.deepEqual([refused.status, logged.at(-1)!.path], [403, `${TOKENS}/*****`]);
  const past = { expiresAt: "2020-01-01T00:00:00.000Z" };
  await request(`${TOKENS}/${inPath(ended)}`, { method: "PUT", body: past });
  assert.deepEqual([await status(deleted), await status(ended)], [401, 401]);
  for (const secret of [deleted, ended]) {
    const random = secret.slice(4);
    assert.ok(!db.serialize().includes(random));
    assert.ok(!(await request("/api/admin/events")).text.includes(random));
    assert.ok(!JSON.stringify(logged).includes(random));
  }
});
