import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import net from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { listen } from "../../src/http/node-server.ts";
import { createServer } from "../../src/server/app.ts";
import type { SigningProxy } from "../../src/sign-in/options.ts";
import { toldBy } from "../../src/sign-in/proxy-headers.ts";
import { LOCAL } from "../http/raw-http.ts";
import { CLIENT, personal } from "../support/world.ts";
import { cookieOf, openForNina, PASSWORD } from "./signing-in.ts";

const HEADERS = { user: "remote-user", email: "remote-email", name: "remote-name", groups: "remote-groups" };

function trusting(...addresses: string[]) {
  const from = new net.BlockList();
  for (const address of addresses) from.addAddress(address, net.isIPv6(address) ? "ipv6" : "ipv4");
  return from;
}

/** A server that trusts this machine, unless told otherwise. */
async function openBehindProxy(t: TestContext, proxy: Partial<SigningProxy> = {}) {
  const server = await openForNina(t);
  const authProxy = {
    from: trusting("127.0.0.1"),
    headers: HEADERS,
    separator: ",",
    role: "Viewer",
    logout: undefined,
    ...proxy,
  };
  const publicUrl = "https://flags.example";
  const { listener, streams } = createServer({ db: server.db, log: () => {}, authProxy, publicUrl });
  const listening = await listen(listener, LOCAL);
  t.after(async () => {
    streams.close();
    await listening.close();
  });
  const ask = async (headers: Record<string, string>, path = "/api/admin/user", method = "GET") => {
    const response = await fetch(listening.url + path, { method, headers, redirect: "manual" });
    const body = await response.text();
    const json = body.startsWith("{") ? JSON.parse(body) : {};
    return { status: response.status, headers: response.headers, body: json, who: json.user?.username };
  };
  const signedIn = async (headers: Record<string, string>) => cookieOf((await ask(headers)).headers);
  return { ...server, url: listening.url, ask, signedIn };
}

/** What a server that trusts these peers hears in a request. */
const told = (
  from: string[],
  remoteAddress: string | undefined,
  headers: Record<string, string>,
  separator = ",",
) =>
  toldBy({ from: trusting(...from), headers: HEADERS, separator }, {
    socket: { remoteAddress },
    headers,
  } as unknown as IncomingMessage);

const hears = (...args: Parameters<typeof told>) => told(...args)?.user;

test("only listed peers are believed, in whatever form their address comes", () => {
  const jane = { "remote-user": "jane", "x-forwarded-for": "10.0.0.1" };
  assert.equal(hears(["10.0.0.1"], "10.0.0.1", jane), "jane");
  assert.equal(hears(["10.0.0.1"], "::ffff:10.0.0.1", jane), "jane");
  assert.equal(hears(["2001:db8::1"], "2001:db8::1", jane), "jane");
  assert.equal(hears(["fe80::1"], "fe80::1%eth0", jane), "jane");
  assert.equal(hears(["2001:db8::1"], "2001:db8::2", jane), undefined, "a bare address is that one alone");
  for (const peer of ["10.0.0.2", "::ffff:10.0.0.2", "::1", "", undefined])
    assert.equal(hears(["10.0.0.1"], peer, jane), undefined, peer);
  assert.equal(hears([], "127.0.0.1", jane), undefined, "nobody by default");
});

test("groups are separated by one character, and other spaces than plain ones are part of a name", () => {
  const groups = (value: string, separator?: string) =>
    told(["::1"], "::1", { "remote-user": "jane", "remote-groups": value }, separator)?.groups;
  assert.deepEqual(groups("a, x|Admins,,b"), ["a", "x|Admins", "b"]);
  assert.deepEqual(groups("a|x,Admins||b", "|"), ["a", "x,Admins", "b"]);
  const latin1 = Buffer.from("a,Admins\u00a0,b").toString("latin1");
  assert.deepEqual(groups(latin1), ["a", "Admins\u00a0", "b"]);
});

test("exactly the header counts; nothing or nobody is nobody; a name is UTF-8", () => {
  const from = ["10.0.0.1"];
  for (const name of ["remote_user", "x-remote-user", "remote-users"])
    assert.equal(hears(from, from[0], { [name]: "jane" }), undefined, name);
  for (const value of ["", "  "]) assert.equal(hears(from, from[0], { "remote-user": value }), undefined);
  const latin1 = Buffer.from("Zoë").toString("latin1");
  assert.equal(hears(from, from[0], { "remote-user": latin1 }), "Zoë");
  const others = ["boss\u00a0", "\ufeffboss", "\u3000boss"].map((name) =>
    Buffer.from(name).toString("latin1"),
  );
  for (const name of ["Zo\u00eb", ...others])
    assert.throws(
      () => hears(from, from[0], { "remote-user": name }),
      /headers.remote-user: must be UTF-8, with no spaces/,
    );
});

test("the header begins a session, which is recorded, and is nothing without the header", async (t) => {
  const { ask, request } = await openBehindProxy(t);
  const first = await ask({ "remote-user": "nina" });
  assert.deepEqual([first.status, first.who], [200, "nina"]);
  const [set = ""] = first.headers.getSetCookie();
  assert.match(set, /HttpOnly; SameSite=Strict; Secure$/);
  const cookie = cookieOf(first.headers);
  const again = await ask({ "remote-user": "nina", cookie });
  assert.deepEqual([again.who, again.headers.getSetCookie()], ["nina", []]);
  assert.equal((await ask({ cookie })).status, 401);
  assert.equal((await ask({ cookie, "remote-user": "" })).status, 401);
  const [{ username, auth_type, ip }] = (await request("/api/admin/logins")).body.events;
  assert.deepEqual([username, auth_type, ip], ["nina", "proxy", "127.0.0.1"]);
});

test("another person's header ends the session; no cached answer reaches the wrong one", async (t) => {
  const { ask, signedIn, db } = await openBehindProxy(t);
  const cookie = await signedIn({ "remote-user": "nina" });
  const profile = "/api/admin/user/profile";
  for (let count = 0; count < 2; count++)
    assert.equal((await ask({ "remote-user": "nina", cookie }, profile)).status, 200);
  assert.equal((await ask({ "remote-user": "jane", cookie }, profile)).status, 401);
  const other = await ask({ "remote-user": "jane", cookie });
  assert.equal(other.who, "jane");
  assert.equal((await ask({ "remote-user": "nina", cookie }, profile)).status, 401, "it has ended");
  assert.equal((await ask({ "remote-user": "nina", cookie: cookieOf(other.headers) }, profile)).status, 401);
  assert.equal(db.prepare("SELECT count(*) FROM sessions").pluck().get(), 1);
});

test("the header outranks a session by password, also that of an administrator", async (t) => {
  const { ask, signIn } = await openBehindProxy(t);
  const cookie = cookieOf((await signIn("nina", PASSWORD)).headers);
  assert.equal((await ask({ cookie })).who, "nina");
  assert.equal((await ask({ cookie, "remote-user": "jane" }, "/api/admin/user/profile")).status, 401);
  assert.equal((await ask({ cookie, "remote-user": "jane" })).who, "jane");
});

test("the header alone changes nothing, and other sites can't begin a session", async (t) => {
  const { ask, signedIn } = await openBehindProxy(t);
  const nina = { "remote-user": "nina" };
  assert.equal((await ask(nina, "/api/admin/user/sessions", "DELETE")).status, 401);
  assert.equal((await ask(nina, "/api/admin/projects")).status, 401);
  for (const site of ["cross-site", "same-site"]) {
    const { status, headers } = await ask({ ...nina, "sec-fetch-site": site });
    assert.deepEqual([status, headers.getSetCookie()], [401, []], site);
  }
  const cookie = await signedIn(nina);
  const evil = { ...nina, cookie, origin: "https://evil.example" };
  assert.equal((await ask(evil, "/api/admin/user/sessions", "DELETE")).status, 403);
  assert.equal((await ask({ ...nina, cookie }, "/api/admin/user/sessions", "DELETE")).status, 200);
});

test("tokens win, and applications need theirs", async (t) => {
  const { ask } = await openBehindProxy(t);
  const withToken = await ask({ "remote-user": "nina", authorization: personal(3) });
  assert.deepEqual([withToken.who, withToken.headers.getSetCookie()], ["user3", []]);
  assert.equal((await ask({ "remote-user": "nina", authorization: "user:unknown" })).status, 401);
  assert.equal((await ask({ "remote-user": "nina" }, "/api/client/features")).status, 401);
  const cookie = cookieOf((await ask({ "remote-user": "nina" })).headers);
  for (const path of ["/api/client/features", "/api/frontend", "/edge/validate"])
    assert.notEqual((await ask({ "remote-user": "nina", cookie }, path)).status, 200, path);
  assert.equal(
    (await ask({ "remote-user": "x", authorization: CLIENT }, "/api/client/features")).status,
    200,
  );
});

/** The status line of a request with these header lines. */
async function statusOf(url: string, lines: string[]) {
  const socket = net.connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(
    ["GET /api/admin/user HTTP/1.1", "Host: a", "Connection: close", ...lines, "", ""].join("\r\n"),
  );
  return Number((await text(socket)).slice(9, 12));
}

test("a doubled header is refused, in any letter case; similar names are other headers", async (t) => {
  const { url } = await openBehindProxy(t);
  assert.equal(await statusOf(url, ["Remote-User: nina"]), 200);
  assert.equal(await statusOf(url, ["REMOTE-USER: nina"]), 200);
  assert.equal(await statusOf(url, ["Remote-User: nina", "remote-user: admin"]), 400);
  assert.equal(await statusOf(url, ["Remote-User: nina", "Remote-Groups: a", "Remote-Groups: b"]), 400);
  assert.equal(await statusOf(url, ["Remote_User: nina"]), 401);
  assert.equal(await statusOf(url, ["Remote-User: nina", "Remote_User: admin", "X-Remote-User: admin"]), 200);
  assert.equal(await statusOf(url, ["Connection: close, Remote-User", "Remote-User:"]), 401);
  assert.equal(await statusOf(url, ["Remote-User: nina", "Connection: Remote-User"]), 200);
});

test("from a peer that isn't listed, the header is no more than any other", async (t) => {
  const { ask } = await openBehindProxy(t, { from: trusting("10.0.0.1") });
  const { status, headers } = await ask({ "remote-user": "nina", "x-forwarded-for": "10.0.0.1" });
  assert.deepEqual([status, headers.getSetCookie()], [401, []]);
});

test("a new person is created with the role, if there is one to give", async (t) => {
  const { ask, db } = await openBehindProxy(t);
  const told = { "remote-user": "jane", "remote-email": "Jane@example.com", "remote-name": "Jane Roe" };
  assert.equal((await ask(told)).who, "jane");
  const rows = db
    .prepare("SELECT username, email, name, root_role FROM users WHERE username = 'jane'")
    .raw()
    .all();
  assert.deepEqual(rows, [["jane", "jane@example.com", "Jane Roe", 3]]);
  const { status, body } = await ask({ "remote-user": "other", "remote-email": "nina@example.com" });
  assert.equal(status, 401, "an address of somebody else takes over nothing");
  assert.match(body.message, /Another account has/);
  for (const [user, email] of [
    ["x".repeat(300), ""],
    ["ok", "no address"],
    ["jаne", ""],
  ] as const) {
    const latin1 = Buffer.from(user).toString("latin1");
    assert.equal((await ask({ "remote-user": latin1, "remote-email": email })).status, 401, user);
  }
});

test("a role that is deleted after the start is not given, nor the one that gets its id", async (t) => {
  const { ask, db } = await openBehindProxy(t, { role: "Helpers" });
  const rename = db.prepare("UPDATE roles SET name = ? WHERE id = 60");
  db.exec("INSERT INTO roles (id, name, type) VALUES (60, 'Helpers', 'custom-root')");
  assert.equal((await ask({ "remote-user": "first" })).status, 200);
  rename.run("Owners of all");
  assert.match((await ask({ "remote-user": "second" })).body.message, /You have no account here/);
});

test("without a role to give, the unknown are refused, and it is in the history", async (t) => {
  const { ask, request, db } = await openBehindProxy(t, { role: undefined });
  const { status, body } = await ask({ "remote-user": "jane" });
  assert.deepEqual([status, body.name], [401, "AuthenticationRequired"]);
  assert.match(body.message, /You have no account here/);
  assert.equal((await ask({ "remote-user": "robot" })).status, 401, "a service account is no person");
  const { events } = (await request("/api/admin/logins")).body;
  assert.deepEqual([events[0].auth_type, events[0].successful, events[0].username], ["proxy", false, ""]);
  assert.equal(db.prepare("SELECT count(*) FROM users WHERE username = 'jane'").pluck().get(), 0);
});

test("a user who is deleted is signed out; one who is demoted stays so", async (t) => {
  const { ask, signedIn, request, db } = await openBehindProxy(t, { role: undefined });
  const nina = { "remote-user": "nina" };
  const cookie = await signedIn(nina);
  db.exec("UPDATE users SET root_role = 3 WHERE id = 5");
  await signedIn(nina);
  assert.equal(db.prepare("SELECT root_role FROM users WHERE id = 5").pluck().get(), 3);
  await request("/api/admin/user-admin/5", { method: "DELETE" });
  assert.equal((await ask({ ...nina, cookie })).status, 401);
});

test("groups with mappings are joined and left, thousands at once; others stay", async (t) => {
  const { ask, db } = await openBehindProxy(t);
  db.exec(`INSERT INTO groups (id, name, created_at, mappings_sso) VALUES
      (1, 'writers', '2026-01-01T00:00:00.000Z', '["authors", "writers"]'),
      (2, 'readers', '2026-01-01T00:00:00.000Z', '["readers"]'), (3, 'ours', '2026-01-01T00:00:00.000Z', '[]');
    INSERT INTO group_users (group_id, user_id) VALUES (2, 5), (3, 5)`);
  const groups = () =>
    db.prepare("SELECT group_id FROM group_users WHERE user_id = 5 ORDER BY 1").pluck().all();
  await ask({ "remote-user": "nina", "remote-groups": "staff,authors, Readers" });
  assert.deepEqual(groups(), [1, 3]);
  await ask({ "remote-user": "nina", "remote-groups": `${"g,".repeat(6_000)}readers` });
  assert.deepEqual(groups(), [2, 3]);
  await ask({ "remote-user": "nina" });
  assert.deepEqual(groups(), [3]);
  const types = db.prepare(
    "SELECT type, count(*) FROM events WHERE type LIKE 'group-user-%' GROUP BY type ORDER BY type",
  );
  assert.deepEqual(types.raw().all(), [
    ["group-user-added", 2],
    ["group-user-removed", 3],
  ]);
});

test("signing out ends the session, and leads where the proxy signs out", async (t) => {
  const { ask, signedIn, db } = await openBehindProxy(t, { logout: "/oauth2/sign_out" });
  const nina = { "remote-user": "nina" };
  const cookie = await signedIn(nina);
  const { headers } = await ask({ ...nina, cookie, accept: "text/html" }, "/logout", "POST");
  assert.equal(headers.get("refresh"), "0; url=/oauth2/sign_out", "to which the page's form may not lead");
  assert.equal(db.prepare("SELECT count(*) FROM sessions").pluck().get(), 0);
  assert.equal((await ask({}, "/logout", "POST")).headers.get("location"), "/");
});
