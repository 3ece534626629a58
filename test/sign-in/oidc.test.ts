import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { decodeJwt, generateKeyPair, type JWTPayload } from "jose";
import { SYSTEM } from "../../src/access/actor.ts";
import { reencryptSessions } from "../../src/access/session-store.ts";
import { readOidc } from "../../src/cli/oidc.ts";
import { rotateKey } from "../../src/db/secrets.ts";
import { write } from "../../src/events/write.ts";
import { MASK } from "../../src/lib/text.ts";
import { createServer } from "../../src/server/app.ts";
import { reencryptOidc } from "../../src/sign-in/oidc-provider.ts";
import { CLIENT, openStub } from "../support/oidc-stub.ts";
import { openServer } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";

const PUBLIC = "https://flags.example.com/flags";

const WORLD = createWorld()
  .user({ username: "nina", email: "nina@example.com", rootRole: 2 })
  .add("group", { id: 1, name: "Payments", mappingsSSO: ["payments-there"] });

type Stub = Awaited<ReturnType<typeof openStub>>;

const SETTINGS = "/api/admin/auth/oidc/settings";
const DISCOVERY = "/.well-known/openid-configuration";

/** How a stub is asked. */
const SENDING = { allowed: ["127.0.0.1"], env: {}, ca: undefined, timeoutMs: 300 };

/** A server whose people sign in at a stub, with a browser that keeps the cookies of its sign-in. */
async function start(t: TestContext, env: Record<string, string> = {}, sending = SENDING) {
  const stub = await openStub(t);
  const { db, request } = await openServer(t, WORLD);
  const oidc = readOidc({ ...settings(stub), ...env }, PUBLIC);
  const logged: string[] = [];
  const log = ({ message }: { message: string }) => void logged.push(message);
  const { app } = createServer({ db, log, basePath: "/flags", publicUrl: PUBLIC, oidc, sending });
  const get = (path: string, cookie?: string, method = "GET", root = PUBLIC) =>
    app.request(`${root}${path}`, { method, headers: cookie === undefined ? {} : { cookie } });
  const configure = (body: object) => request(SETTINGS, { method: "POST", body });
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
  return { db, stub, request, configure, get, begin, come, users, logged };
}

/** The same, where the provider is not configured by variables, but by API. */
async function startByApi(t: TestContext, settings: object = {}, sending = SENDING) {
  const server = await start(t, { OIDC_ENABLED: "false" }, sending);
  const given = { enabled: true, discoverUrl: server.stub.issuer, ...BY_API, ...settings };
  assert.equal((await server.configure(given)).status, 200);
  return { ...server, given };
}

const BY_API = { clientId: CLIENT.id, secret: CLIENT.secret, autoCreate: true };

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
  assert.match(cookie!, /^flagstone-oidc=encrypted:/);
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

test("behind a proxy that has the TLS, the cookies are sent only over TLS too", async (t) => {
  const { get, stub } = await start(t);
  const reach = (path: string, cookie?: string) => get(path, cookie, "GET", "http://127.0.0.1:4242/flags");
  const begun = await reach("/auth/oidc/login");
  const asked = new URL(begun.headers.get("location")!).searchParams;
  assert.equal(
    asked.get("redirect_uri"),
    `${PUBLIC}/auth/oidc/callback`,
    "whatever the request's own address is",
  );
  stub.give(await stub.sign({ ...basics(stub.issuer, asked.get("nonce")!), preferred_username: "olga" }));
  const [cookie] = cookiesOf(begun)[0]!.split(";", 1);
  const ended = await reach(`/auth/oidc/callback?code=c&state=${asked.get("state")}`, cookie);
  assert.ok(hasSession(ended));
  for (const set of [begun, ended].flatMap(cookiesOf)) assert.match(set, /; Secure$/);
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

test("what says that an address is verified has to say the address too", async (t) => {
  const { come, stub, users } = await start(t, { OIDC_AUTO_CREATE: "false" });
  const known = JSON.parse((await stub.answers[DISCOVERY]!()).body);
  const answer = (body: object) => () => ({ body: JSON.stringify(body) });
  stub.answers[DISCOVERY] = answer({ ...known, userinfo_endpoint: `${stub.issuer}/me` });
  const nina = { email: "nina@example.com" };
  const tell = (more: object) => {
    stub.answers["/me"] = answer({ sub: "subject-1", email_verified: true, ...more });
    return come(nina);
  };
  assert.match(problem(await tell({ email: "mallory@example.com" }))!, /You have no account here/);
  assert.match(problem(await tell({}))!, /You have no account here/);
  assert.ok(hasSession(await tell(nina)));
  assert.ok((await users()).some(({ email, seenAt }) => email === nina.email && seenAt !== null));
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
  await refuse("not valid yet", { nbf: seconds() + 120 });
  await refuse("another audience", { aud: "another" });
  await refuse("several audiences, given to another", { aud: [CLIENT.id, "another"], azp: "another" });
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
  const callback = (given: string) => `/auth/oidc/callback?code=c&state=${given}`;
  const own = { settings: "", state, nonce, verifier: "v", redirect: "/", begunAt: Date.now() };
  const others = [
    undefined,
    "flagstone-oidc=forged",
    `flagstone-oidc=${encodeURIComponent(JSON.stringify(own))}`,
    `${cookie!.slice(0, -8)}AAAAAAA=`,
    (await begin()).cookie,
  ];
  for (const other of others) assert.match(problem(await get(callback(state), other))!, /another browser/);
  const fromElsewhere = await get(callback("forged"), cookie);
  assert.match(problem(fromElsewhere)!, /another browser/);
  assert.deepEqual(cookiesOf(fromElsewhere), [], "another site can't end it");
  assert.ok(hasSession(await get(callback(state), cookie)));
  assert.match(problem(await get(callback(state), cookie))!, /another browser/);
});

test("a sign-in that takes too long has to begin again", async (t) => {
  const { begin, get, stub } = await start(t);
  const { cookie, state, nonce } = await begin();
  stub.give(await stub.sign({ ...basics(stub.issuer, nonce), preferred_username: "late" }));
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 11 * 60_000 });
  assert.match(problem(await get(`/auth/oidc/callback?code=c&state=${state}`, cookie))!, /too long/);
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
  assert.match(problem(await come({ acr: ["two-factors"], preferred_username: "odd" }))!, /as strictly/);
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
    ...[
      "/flags@evil.example",
      `/flags/${"ß".repeat(400)}`,
      "\n//evil.example",
      " //evil.example",
      "///evil.example",
      "",
    ],
  ];
  for (const spelling of spellings) {
    const { cookie, state, nonce } = await begin(spelling);
    stub.give(await stub.sign({ ...basics(stub.issuer, nonce), preferred_username: "someone" }));
    const response = await get(`/auth/oidc/callback?code=c&state=${state}`, cookie);
    assert.equal(response.headers.get("location"), "/flags/", JSON.stringify(spelling));
  }
});

test("a provider that is away, or answers something else, is a message, and is asked again", async (t) => {
  const { get, stub, begin, logged } = await start(t);
  const right = stub.answers[DISCOVERY]!;
  const page = { type: "text/html", body: "<h1>Sign in to the network</h1>" };
  const away = { status: 302, body: "", location: "http://127.0.0.1:1/" };
  const never = new Promise<never>(() => {});
  const bad = [
    ...[{ status: 503, body: "" }, page, away, never],
    ...[{ body: JSON.stringify({ issuer: "https://issuer.example.com" }) }, { body: "{" }],
    { body: `"${"x".repeat(2 * 2 ** 20)}"` },
  ];
  for (const [index, answer] of bad.entries()) {
    stub.answers[DISCOVERY] = () => answer;
    assert.match(problem(await get("/auth/oidc/login"))!, /the server's log says why/, String(index));
  }
  stub.answers[DISCOVERY] = right;
  for (const [place, answer, said] of [
    ["/token", page, /\/token can't be asked: it answers with a page/],
    ["/token", away, /\/token can't be asked: it redirects/],
    ["/token", never, /No response within 0.3 seconds/],
    ["/keys", never, /No response within 0.3 seconds/],
  ] as const) {
    const { cookie, state, nonce } = await begin();
    stub.give(await stub.sign({ ...basics(stub.issuer, nonce), preferred_username: "olga" }));
    stub.answers[place] = () => answer;
    const ended = await get(`/auth/oidc/callback?code=c&state=${state}`, cookie);
    assert.match(problem(ended)!, /the server's log says why/);
    assert.match(logged.at(-1)!, said);
  }
  assert.ok((await begin()).asked.href.startsWith(stub.issuer));
});

test("a 401 names this way in, and where there is none, nothing is there", async (t) => {
  const { get } = await start(t);
  const { options } = (await (await get("/api/admin/projects")).json()) as { options: unknown };
  assert.deepEqual(options, [
    { type: "oidc", message: "Sign in with OpenID Connect", path: "/flags/auth/oidc/login" },
  ]);
  const { request } = await openServer(t);
  assert.equal((await request("/auth/oidc/login")).status, 404);
  assert.equal((await request("/api/admin/projects", { as: null })).body.options, undefined);
});

test("a key that the provider has replaced is taken, also in the middle of a sign-in", async (t) => {
  const { begin, come, get, stub } = await start(t);
  const olga = { preferred_username: "olga" };
  assert.ok(hasSession(await come(olga)));
  const { cookie, state, nonce } = await begin();
  await stub.rotate();
  stub.give(await stub.sign({ ...basics(stub.issuer, nonce), ...olga }));
  assert.ok(hasSession(await get(`/auth/oidc/callback?code=c&state=${state}`, cookie)));
});

test("a user who is demoted while signed in may do less at once, and one who is deleted is signed out", async (t) => {
  const { come, get, request, users } = await start(t, { OIDC_DEFAULT_ROOT_ROLE: "Editor" });
  const cookies = cookiesOf(await come({ preferred_username: "olga" }));
  const own = cookies.find((one) => one.startsWith("unleash-session="))!.split(";")[0];
  const { id } = (await users()).find(({ username }) => username === "olga")!;
  const role = async () => {
    const { rootRole } = (await (await get("/api/admin/user/profile", own)).json()) as Record<
      string,
      { id: number }
    >;
    return rootRole!.id;
  };
  assert.equal(await role(), 2);
  await request(`/api/admin/user-admin/${id}`, { method: "PUT", body: { rootRole: 3 } });
  assert.equal(await role(), 3);
  assert.ok(hasSession(await come({ preferred_username: "olga" })));
  assert.equal(await role(), 3, "the provider's default is for new people");
  await request(`/api/admin/user-admin/${id}`, { method: "DELETE" });
  assert.equal((await get("/api/admin/user", own)).status, 401);
});

test("settings by API take effect at once, also where a sign-in is under way", async (t) => {
  const { begin, come, configure, get, given, request, stub } = await startByApi(t);
  assert.ok(hasSession(await come({ preferred_username: "olga" })));
  assert.equal((await request("/api/admin/instance-admin/statistics")).body.OIDCenabled, true);
  const { cookie, state, nonce } = await begin();
  stub.give(await stub.sign({ ...basics(stub.issuer, nonce), preferred_username: "late" }));
  assert.equal((await configure({ ...given, acrValues: "strict" })).status, 200);
  assert.match(problem(await get(`/auth/oidc/callback?code=c&state=${state}`, cookie))!, /another browser/);
  assert.equal((await begin()).asked.searchParams.get("acr_values"), "strict");
  assert.equal((await configure({ enabled: false, clientId: " ", secret: " " })).status, 200);
  assert.equal((await get("/auth/oidc/login")).status, 404);
  assert.equal((await request("/api/admin/projects", { as: null })).body.options, undefined);
  assert.equal((await request("/api/admin/instance-admin/statistics")).body.OIDCenabled, false);
});

test("the secret is encrypted, and masked wherever it could be read; its mask is the stored one, for the same provider", async (t) => {
  const { db, come, configure, given, request } = await startByApi(t);
  const read = (await request(SETTINGS)).body;
  assert.deepEqual([read.secret, read.clientId, read.defaultRootRole], [MASK, CLIENT.id, "Viewer"]);
  assert.equal((await configure({ ...read, extraScopes: "offline" })).body.secret, MASK);
  rotateKey(db, () => write(db, SYSTEM, (tx) => void reencryptOidc(tx)));
  assert.ok(hasSession(await come({ preferred_username: "olga" })));
  const { events } = (await request("/api/admin/events")).body;
  const [changed] = events.filter(({ type }: { type: string }) => type === "setting-updated");
  assert.deepEqual([changed.data.secret, changed.preData.secret], [MASK, MASK]);
  assert.ok(!db.serialize().includes(CLIENT.secret));
  const moved = await configure({ ...read, discoverUrl: "https://other.example.com" });
  assert.match(moved.body.message, /^body.secret: is masked, but the provider has changed/);
  await configure({ ...given, enabled: false, secret: "" });
  assert.match((await configure(read)).body.message, /no secret is stored/);
});

test("settings that lack something, or that nobody may change, are refused", async (t) => {
  const { configure, given, request } = await startByApi(t);
  const refused = async (body: object, status: number, message: RegExp) => {
    const reply = await configure({ ...given, ...body });
    assert.equal(reply.status, status);
    assert.match(reply.body.message, message);
  };
  await refused({ clientId: " " }, 400, /^body.clientId: is missing$/);
  await refused({ discoverUrl: "javascript:1" }, 400, /^body.discoverUrl: must be a web address/);
  await refused({ discoverUrl: "https://a:b@id.example" }, 400, /^body.discoverUrl: must be/);
  await refused({ idTokenSigningAlgorithm: "none" }, 400, /^body.idTokenSigningAlgorithm: /);
  await refused({ defaultRootRoleId: 99 }, 400, /^body.defaultRootRoleId: there is no root role 99$/);
  assert.equal((await request(SETTINGS, { as: personal(2) })).status, 403);
  assert.equal((await request(SETTINGS, { method: "POST", as: personal(2), body: given })).status, 403);
  const { request: ask } = await openServer(t);
  const { body } = await ask(SETTINGS, { method: "POST", body: given });
  assert.match(body.message, /^body.enabled: needs --public-url/);
});

test("the role of new people can't be deleted: another one would get its id", async (t) => {
  const { configure, given, request } = await startByApi(t);
  const create = { method: "POST", body: { name: "Newcomer", type: "root-custom" } };
  const { id } = (await request("/api/admin/roles", create)).body.roles;
  await configure({ ...given, defaultRootRoleId: id });
  const remove = () => request(`/api/admin/roles/${id}`, { method: "DELETE" });
  assert.equal((await remove()).body.name, "RoleInUseError");
  await configure(given);
  assert.equal((await remove()).status, 200);
});

test("what variables configure is shown, with a masked secret, and can't be changed", async (t) => {
  const { configure, request, stub } = await start(t, { OIDC_ACR_VALUES: "strict" });
  const { body } = await request(SETTINGS);
  assert.deepEqual([body.discoverUrl, body.secret, body.acrValues], [stub.issuer, MASK, "strict"]);
  assert.equal((await request("/api/admin/ui-config")).body.oidcConfiguredThroughEnv, true);
  assert.equal((await configure(body)).status, 403);
});

test("a test says what the provider says, or what is wrong with it", async (t) => {
  const { request, stub } = await startByApi(t);
  const ask = async (body: object = {}) => {
    const asked = { discoverUrl: stub.issuer, ...body };
    return (await request("/api/admin/auth/oidc/test", { method: "POST", body: asked })).body;
  };
  const { problem, issuer, algorithms } = await ask();
  assert.deepEqual([problem, issuer, algorithms], [null, stub.issuer, ["RS256"]]);
  assert.match((await ask({ idTokenSigningAlgorithm: "RS512" })).problem, /signs with RS256, not with RS512/);
  assert.equal((await ask({ discoverUrl: stub.issuer + DISCOVERY })).problem, null);
  for (const [answer, message] of [
    [
      { type: "text/html", body: "<h1>Sign in to the network</h1>" },
      /answers with a page \(200, text\/html\)/,
    ],
    [{ status: 302, body: "", location: "http://127.0.0.1:1/" }, /redirects to http:\/\/127.0.0.1:1\//],
    [new Promise<never>(() => {}), /No response within 0.3 seconds/],
    [
      { body: JSON.stringify({ issuer: "https://issuer.example.com" }) },
      /does not match the expected issuer/,
    ],
    [{ status: 503, body: "" }, /answers with the status 503/],
  ] as const) {
    stub.answers[DISCOVERY] = () => answer;
    assert.match((await ask()).problem, message);
  }
  assert.match(
    (await ask({ discoverUrl: "http://10.0.0.1" })).problem,
    /is private.*--allow-private-targets/,
  );
  assert.match((await ask({ discoverUrl: "http://127.0.0.1:1" })).problem, /ECONNREFUSED/);
});

test("a provider on the private network is asked only if the operator allows it", async (t) => {
  const { get, logged } = await startByApi(t, {}, { ...SENDING, allowed: [] });
  assert.match(problem(await get("/auth/oidc/login"))!, /the server's log says why/);
  assert.match(logged.join(), /127\.0\.0\.1 is private or this machine: allow it with/);
});

test("signing out ends our session, and leads to where the provider ends its own", async (t) => {
  const { come, get, stub } = await startByApi(t, { enableSingleSignOut: true });
  const signOut = async (claims: JWTPayload) => {
    const cookie = cookiesOf(await come({ preferred_username: "olga", ...claims })).find((one) =>
      one.startsWith("unleash-session="),
    )!;
    const [own = ""] = cookie.split(";");
    const { headers } = await get("/logout", own, "POST");
    assert.equal((await get("/api/admin/user", own)).status, 401);
    return new URL(headers.get("location")!).searchParams;
  };
  const query = await signOut({});
  assert.equal(query.get("by"), "us");
  assert.equal(query.get("client_id"), CLIENT.id);
  assert.equal(query.get("post_logout_redirect_uri"), `${PUBLIC}/`);
  assert.equal(decodeJwt(query.get("id_token_hint")!).iss, stub.issuer);
  const long = await signOut({ groups: Array.from({ length: 10_000 }, (_, index) => `group-${index}`) });
  assert.equal(long.get("id_token_hint"), null, "too long for an address");
});

test("where a sign-out leads is stored encrypted, also with a new key; without its key, it leads home", async (t) => {
  const { come, db, get, stub } = await startByApi(t, { enableSingleSignOut: true });
  const signIn = async () => {
    const cookies = cookiesOf(await come({ preferred_username: "olga" })).map((one) => one.split(";")[0]);
    return cookies.find((one) => one?.startsWith("unleash-session="));
  };
  const leadsTo = async (own?: string) => (await get("/logout", own, "POST")).headers.get("location")!;
  const [first, second] = [await signIn(), await signIn()];
  const isStored = (text: string) => db.serialize().includes(text);
  assert.deepEqual([isStored("id_token_hint"), isStored("/end?by=us")], [false, false]);
  rotateKey(db, () => write(db, SYSTEM, (tx) => void [reencryptOidc(tx), reencryptSessions(tx)]));
  assert.ok((await leadsTo(first)).startsWith(`${stub.issuer}/end?by=us&id_token_hint=`));
  for (const reencrypt of [() => {}, () => write(db, SYSTEM, reencryptSessions)]) rotateKey(db, reencrypt);
  assert.equal(await leadsTo(second), "/flags/");
  assert.equal((await get("/api/admin/user", second)).status, 401);
});

test("a name with spaces around it is the one without, and the system's are taken", async (t) => {
  const { come, users } = await start(t);
  const before = (await users()).length;
  for (const name of ["nina@example.com ", " nina", " ninа", "cli", "unleash_system_user", "CLI "])
    assert.match(problem(await come({ sub: name, preferred_username: name }))!, /Another account has/, name);
  assert.equal((await users()).length, before);
});

test("a provider can't be another one, whatever it says of itself", async (t) => {
  const { stub, come, request, logged } = await startByApi(t);
  const said = stub.answers[DISCOVERY]!;
  const { body = "" } = await said();
  for (const issuer of ["https://id.example.com", "proxy", `${stub.issuer}/other`]) {
    stub.answers[DISCOVERY] = () => ({ body: JSON.stringify({ ...JSON.parse(body), issuer }) });
    const asked = { method: "POST", body: { discoverUrl: stub.issuer + DISCOVERY } };
    const { problem } = (await request("/api/admin/auth/oidc/test", asked)).body;
    assert.equal(problem, `its issuer is ${issuer}, another address`);
  }
  stub.answers[DISCOVERY] = said;
  assert.match(problem(await come({ sub: "", preferred_username: "empty" }))!, /who you are/);
  assert.match(problem(await come({ azp: "other", preferred_username: "azp" }))!, /another program/);
  assert.deepEqual(logged, []);
});

test("passwords are switched off only while an Admin can sign in without one", async (t) => {
  const { come, configure, db, given, request } = await startByApi(t);
  const passwords = (disabled: boolean) =>
    request("/api/admin/auth/simple/settings", { method: "POST", body: { disabled } });
  await come({ preferred_username: "olga" });
  const { body } = await passwords(true);
  assert.deepEqual([body.name, /^No Admin could sign in/.test(body.message)], ["ConflictError", true]);
  db.exec("UPDATE users SET root_role = 1 WHERE username = 'olga'");
  assert.deepEqual((await passwords(true)).body, { disabled: true, adminsWithoutPassword: 1 });
  assert.equal((await configure({ ...given, enabled: false })).status, 409);
  const other = { ...given, discoverUrl: "https://other.example.com" };
  assert.equal((await configure(other)).status, 409, "nobody has signed in there");
  await passwords(false);
  assert.equal((await configure(other)).status, 200);
  assert.equal((await configure({ ...given, enabled: false })).status, 200);
});

test("what is wrong with the variables is said at the start", () => {
  const right = settings({ issuer: "https://id.example.com" } as Stub);
  const refused = (env: Record<string, string>, message: RegExp, publicUrl: string | undefined = PUBLIC) =>
    assert.throws(() => readOidc({ ...right, ...env }, publicUrl), { message });
  assert.equal(readOidc({ ...right, OIDC_ENABLED: "false" }, undefined), undefined);
  refused(
    { OIDC_DISCOVER_URL: "id.example.com" },
    /^OIDC_DISCOVER_URL: must be a web address, without credentials$/,
  );
  refused({ OIDC_CLIENT_ID: "" }, /^OIDC_CLIENT_ID: is missing$/);
  refused({ OIDC_AUTO_CREATE: "maybe" }, /^OIDC_AUTO_CREATE: must be true or false, not "maybe"$/);
  refused({ OIDC_DEFAULT_ROOT_ROLE: "Owner" }, /^OIDC_DEFAULT_ROOT_ROLE: /);
  refused({ OIDC_ID_TOKEN_SIGNING_ALGORITHM: "none" }, /^OIDC_ID_TOKEN_SIGNING_ALGORITHM: /);
  assert.throws(() => readOidc(right, undefined), /--public-url/);
});
