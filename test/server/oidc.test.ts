import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { generateKeyPair, type JWTPayload } from "jose";
import { readOidc } from "../../src/cli/oidc.ts";
import { createServer } from "../../src/server/app.ts";
import { CLIENT, openStub } from "../support/oidc-stub.ts";
import { openServer } from "../support/server.ts";
import { createWorld } from "../support/world.ts";

const PUBLIC = "https://flags.example.com/flags";

const WORLD = createWorld()
  .user({ username: "nina", email: "nina@example.com", rootRole: 2 })
  .add("group", { id: 1, name: "Payments", mappingsSSO: ["payments-there"] });

type Stub = Awaited<ReturnType<typeof openStub>>;

/** A server whose people sign in at a stub, with a browser that keeps the cookies of its sign-in. */
async function start(t: TestContext, env: Record<string, string> = {}, world = WORLD) {
  const stub = await openStub(t);
  const { db, request } = await openServer(t, world);
  const oidc = readOidc({ ...settings(stub), ...env }, PUBLIC);
  const logged: string[] = [];
  const log = ({ message }: { message: string }) => void logged.push(message);
  const { app } = createServer({ db, log, basePath: "/flags", publicUrl: PUBLIC, oidc });
  const get = (path: string, cookie?: string) =>
    app.request(`${PUBLIC}${path}`, { headers: cookie === undefined ? {} : { cookie } });
  const begin = async (redirect = "/flags/projects") => {
    const response = await get(`/auth/oidc/login?redirect=${encodeURIComponent(redirect)}`);
    const asked = new URL(response.headers.get("location")!, PUBLIC);
    const [cookie] = response.headers.get("set-cookie")!.split(";", 1);
    return {
      asked,
      cookie,
      state: asked.searchParams.get("state")!,
      nonce: asked.searchParams.get("nonce")!,
    };
  };
  /** Comes back with a token of these claims, or with another one. */
  const come = async (claims: JWTPayload, sign: Stub["sign"] = stub.sign) => {
    const { cookie, state, nonce } = await begin();
    stub.give(await sign({ ...basics(stub.issuer, nonce), ...claims }));
    return get(`/auth/oidc/callback?code=c&state=${state}`, cookie);
  };
  const users = async () =>
    (await request("/api/admin/user-admin")).body.users as Array<Record<string, unknown>>;
  return { db, stub, request, get, begin, come, users, logged };
}

const settings = ({ issuer }: Stub) => ({
  OIDC_ENABLED: "true",
  OIDC_DISCOVER_URL: issuer,
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
  OIDC_AUTO_CREATE: "true",
});

const seconds = () => Math.floor(Date.now() / 1000);

const basics = (iss: string, nonce: string): JWTPayload => ({
  iss,
  nonce,
  sub: "subject-1",
  aud: CLIENT.id,
  iat: seconds(),
  exp: seconds() + 60,
});

const cookiesOf = (response: Response) => response.headers.getSetCookie();
const hasSession = (response: Response) =>
  cookiesOf(response).some((cookie) => cookie.startsWith("unleash-session="));

/** What the sign-in form is told. */
function problem(response: Response) {
  assert.equal(response.status, 302);
  assert.equal(hasSession(response), false);
  return new URL(response.headers.get("location")!, PUBLIC).searchParams.get("errorMsg");
}

test("a sign-in begins with PKCE, state and nonce, and leads back to the public address", async (t) => {
  const { begin, stub } = await start(t);
  const { asked, cookie } = await begin();
  assert.equal(asked.origin + asked.pathname, `${stub.issuer}/authorize`);
  const sent = Object.fromEntries(asked.searchParams);
  assert.equal(sent.redirect_uri, `${PUBLIC}/auth/oidc/callback`);
  assert.equal(sent.code_challenge_method, "S256");
  for (const key of ["state", "nonce", "code_challenge"]) assert.ok(sent[key]!.length >= 43, key);
  assert.match(cookie!, /^flagstone-oidc=[0-9a-f]{32,}$/);
});

test("whoever comes back gets an account, the groups they have there, and a session, and goes where they wanted to", async (t) => {
  const { come, users, request } = await start(t, { OIDC_ENABLE_GROUP_SYNCING: "true" });
  const claims = {
    email: "olga@example.com",
    email_verified: true,
    name: "Olga",
    groups: ["payments-there"],
  };
  const response = await come(claims);
  assert.equal(response.headers.get("location"), "/flags/projects");
  assert.ok(
    cookiesOf(response).some((one) => /^unleash-session=.*HttpOnly; SameSite=Strict; Secure$/.test(one)),
  );
  const olga = (await users()).find(({ email }) => email === "olga@example.com");
  assert.equal(olga?.rootRole, 3);
  assert.equal((await request("/api/admin/groups/1")).body.users[0].user.id, olga?.id);
  await come({ ...claims, email: "other@example.com", groups: [] });
  assert.equal((await users()).filter(({ name }) => name === "Olga").length, 1, "the subject counts");
  assert.deepEqual((await request("/api/admin/groups/1")).body.users, []);
});

test("an account is found by an address only if the provider has verified it", async (t) => {
  const { come, users } = await start(t, { OIDC_AUTO_CREATE: "false" });
  const email = "nina@example.com";
  const before = (await users()).length;
  assert.match(problem(await come({ email }))!, /You have no account here/);
  assert.match(problem(await come({ email, email_verified: false }))!, /You have no account here/);
  assert.match(problem(await come({ email, email_verified: "true" }))!, /You have no account here/);
  assert.ok(hasSession(await come({ email, email_verified: true })));
  assert.match(problem(await come({ sub: "subject-2", email, email_verified: true }))!, /Another account/);
  assert.equal((await users()).length, before);
});

test("a token that is not for this sign-in is refused; the log says why", async (t) => {
  const { come, stub, logged } = await start(t);
  const { privateKey } = await generateKeyPair("RS256");
  const none = async (claims: JWTPayload) =>
    `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.`;
  const refuse = async (name: string, claims: JWTPayload, sign?: Stub["sign"]) => {
    logged.length = 0;
    assert.match(problem(await come(claims, sign)) ?? "", /the server's log says why/, name);
    assert.match(logged.join(), /^OIDC: .+/, name);
    assert.ok(!logged.join().includes(CLIENT.secret));
  };
  await refuse("expired", { exp: seconds() - 120 });
  await refuse("another audience", { aud: "another" });
  await refuse("another issuer", { iss: "https://issuer.example.com" });
  await refuse("another nonce", { nonce: "another" });
  await refuse("no subject", { sub: undefined as unknown as string });
  await refuse("not signed", {}, none);
  await refuse("signed by another key", {}, (claims) => stub.sign(claims, privateKey));
  await refuse("signed with our secret", {}, (claims) =>
    stub.sign(claims, Buffer.from(CLIENT.secret), "HS256"),
  );
  assert.ok(hasSession(await come({ preferred_username: "right" })));
});

test("a callback counts once, in the browser that began the sign-in, with its state", async (t) => {
  const { begin, get, stub } = await start(t);
  const { cookie, state, nonce } = await begin();
  stub.give(await stub.sign({ ...basics(stub.issuer, nonce), preferred_username: "once" }));
  const callback = `/auth/oidc/callback?code=c&state=${state}`;
  assert.match(problem(await get(callback))!, /another browser/);
  assert.match(problem(await get(callback, "flagstone-oidc=forged"))!, /another browser/);
  assert.ok(hasSession(await get(callback, cookie)));
  assert.match(problem(await get(callback, cookie))!, /another browser/);
  const second = await begin();
  assert.match(
    problem(await get(callback, second.cookie))!,
    /the server's log says why/,
    "of another sign-in",
  );
  assert.match(
    problem(await get(`/auth/oidc/callback?code=c&state=${second.state}`, second.cookie))!,
    /another/,
  );
});

test("what the provider refuses is said to the person", async (t) => {
  const { begin, get, stub } = await start(t);
  const { cookie, state } = await begin();
  const query = new URLSearchParams({ error: "access_denied", state, iss: stub.issuer });
  assert.equal(
    problem(await get(`/auth/oidc/callback?${query}`, cookie)),
    "The provider has refused: access_denied",
  );
});

test("a sign-in that is not strict enough is refused", async (t) => {
  const { begin, come } = await start(t, { OIDC_ACR_VALUES: "two-factors phishing-resistant" });
  assert.equal((await begin()).asked.searchParams.get("acr_values"), "two-factors phishing-resistant");
  assert.match(problem(await come({ acr: "password", preferred_username: "weak" }))!, /as strictly/);
  assert.ok(hasSession(await come({ acr: "two-factors", preferred_username: "strong" })));
});

test("nobody is led to another site", async (t) => {
  const { begin, get, stub } = await start(t);
  const spellings = [
    ...["//evil.example", "/\\evil.example", "\\\\evil.example", "https://evil.example", "/\t/evil.example"],
    ...[
      "javascript:alert(1)",
      "/flags/..//evil.example",
      "/flags/../..//evil.example",
      "evil.example",
      "/other",
    ],
    ...["/flags@evil.example", "\n//evil.example", " //evil.example", "///evil.example", ""],
  ];
  for (const spelling of spellings) {
    const { cookie, state, nonce } = await begin(spelling);
    stub.give(await stub.sign({ ...basics(stub.issuer, nonce), preferred_username: "someone" }));
    const response = await get(`/auth/oidc/callback?code=c&state=${state}`, cookie);
    assert.equal(response.headers.get("location"), "/flags/", JSON.stringify(spelling));
  }
});

test("a provider that is away, or answers something else, is a message, and is asked again", async (t) => {
  const { get, stub, begin } = await start(t);
  const DISCOVERY = "/.well-known/openid-configuration";
  const right = stub.answers[DISCOVERY]!;
  const bad = [
    { status: 503, body: "" },
    { type: "text/html", body: "<h1>Sign in to the network</h1>" },
    { status: 302, body: "", location: "http://127.0.0.1:1/" },
    { body: JSON.stringify({ issuer: "https://issuer.example.com" }) },
    { body: "{" },
    { body: `"${"x".repeat(2 * 2 ** 20)}"` },
  ];
  for (const answer of bad) {
    stub.answers[DISCOVERY] = () => answer;
    assert.match(
      problem(await get("/auth/oidc/login"))!,
      /the server's log says why/,
      answer.body.slice(0, 40),
    );
  }
  stub.answers[DISCOVERY] = right;
  assert.ok((await begin()).asked.href.startsWith(stub.issuer));
});

test("a 401 names this way in, and where there is none, nothing is there", async (t) => {
  const { get, request } = await start(t);
  const { options } = (await (await get("/api/admin/projects")).json()) as { options: unknown };
  assert.deepEqual(options, [
    { type: "oidc", message: "Sign in with OpenID Connect", path: "/flags/auth/oidc/login" },
  ]);
  assert.equal((await request("/auth/oidc/login")).status, 404);
  assert.equal((await request("/api/admin/projects", { as: null })).body.options, undefined);
});

test("what is wrong with the variables is said at the start", () => {
  const right = settings({ issuer: "https://id.example.com" } as Stub);
  const refused = (env: Record<string, string>, message: RegExp, publicUrl: string | undefined = PUBLIC) =>
    assert.throws(() => readOidc({ ...right, ...env }, publicUrl), { message });
  assert.equal(readOidc({ ...right, OIDC_ENABLED: "false" }, undefined), undefined);
  refused({ OIDC_DISCOVER_URL: "id.example.com" }, /^OIDC_DISCOVER_URL: must be a web address$/);
  refused({ OIDC_CLIENT_ID: "" }, /^OIDC_CLIENT_ID: is missing$/);
  refused({ OIDC_AUTO_CREATE: "maybe" }, /^OIDC_AUTO_CREATE: must be true or false$/);
  refused({ OIDC_DEFAULT_ROOT_ROLE: "Owner" }, /^OIDC_DEFAULT_ROOT_ROLE: /);
  refused({ OIDC_ID_TOKEN_SIGNING_ALGORITHM: "none" }, /^OIDC_ID_TOKEN_SIGNING_ALGORITHM: /);
  assert.throws(() => readOidc(right, undefined), /--public-url/);
});
