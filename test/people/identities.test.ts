import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ANYBODY } from "../../src/access/actor.ts";
import { hashSecret } from "../../src/access/token.ts";
import { query } from "../../src/db/statement.ts";
import { write } from "../../src/events/write.ts";
import { type Admission, type Identity, signInIdentity } from "../../src/people/identities.ts";
import { importDataset } from "../../src/transfer/import.ts";
import { asChunks, openServer } from "../support/server.ts";
import { createWorld } from "../support/world.ts";
import { exported } from "../transfer/examples.ts";

const ANN: Identity = {
  ...{ method: "oidc", issuer: "https://id.example.com", subject: "1" },
  ...{ username: null, email: "ann@example.com", name: "Ann", signOutUrl: null },
};
const OPEN: Admission = { autoCreate: true, emailDomains: [], rootRole: 3 };

/** A server with user 5, Nina, an Admin; groups 1 and 2 have names elsewhere, group 3 has none. */
async function openForAnn(t: TestContext) {
  const world = createWorld()
    .user({ username: "nina", email: "nina@example.com", rootRole: 1 })
    .group("devs", [], { mappingsSSO: ["dev", "developers"] })
    .group("ops", [5], { mappingsSSO: ["ops"] })
    .group("here", [5]);
  const { db, request } = await openServer(t, world);
  const signIn = (identity: Partial<Identity>, admission: Partial<Admission> = {}) =>
    write(db, ANYBODY, (tx) =>
      signInIdentity(tx, { ...ANN, ...identity }, { ...OPEN, ...admission }, "192.0.2.1"),
    );
  const refusal = (...args: Parameters<typeof signIn>) => {
    const outcome = signIn(...args);
    return "refusal" in outcome ? outcome.refusal : undefined;
  };
  /** Who the session is of. */
  const who = (...args: Parameters<typeof signIn>) => {
    const outcome = signIn(...args);
    assert.ok("session" in outcome, JSON.stringify(outcome));
    return ofSession(db).get({ hash: hashSecret(outcome.session.secret) })!;
  };
  const rows = (sql: string) => db.prepare(sql).all() as Array<Record<string, unknown>>;
  const events = () =>
    rows("SELECT wire FROM events ORDER BY id").map(({ wire }) => JSON.parse(String(wire)));
  return { db, events, request, signIn, refusal, who, rows };
}

type Person = { id: number; username: string; email: string; name: string };
const ofSession = query<{ hash: string }, Person>(`
  SELECT users.* FROM sessions JOIN users ON users.id = user_id WHERE hash = :hash`);

test("an account is made at the first sign-in, and stays the same whatever it is called later", async (t) => {
  const { who, rows, events } = await openForAnn(t);
  const { id, email, name } = who({});
  assert.deepEqual([id, email, name], [6, "ann@example.com", "Ann"]);
  assert.equal(who({ email: "other@example.com", name: "Anna" }, { autoCreate: false }).id, 6);
  assert.equal(who({ email: "nina@example.com" }).id, 6, "another's address changes nothing");
  assert.deepEqual(
    events().map(({ type, createdBy }) => [type, createdBy]),
    [["user-created", "unleash_system_user"]],
  );
  assert.deepEqual(rows("SELECT user_id, method, address, failure FROM sign_ins LIMIT 1"), [
    { user_id: 6, method: "oidc", address: "192.0.2.1", failure: null },
  ]);
});

test("a verified address leads to an existing account once, then it belongs to one subject", async (t) => {
  const { who, refusal } = await openForAnn(t);
  const nina = { subject: "2", email: "NINA@example.com" };
  assert.equal(who(nina, { autoCreate: false }).id, 5);
  assert.match(refusal({ ...nina, subject: "3" })!, /Another account/);
  assert.equal(who({ ...nina, issuer: "https://other.example.com" }).id, 5);
});

test("nobody gets the account of somebody who has registered with their name or address", async (t) => {
  const { refusal, request } = await openForAnn(t);
  const created = await request("/api/admin/invite-link/tokens", {
    method: "POST",
    body: { name: "summer", expiresAt: "2099-01-01T00:00:00.000Z" },
  });
  const mallory = {
    username: "mallory",
    name: "Mallory",
    email: "ann@example.com",
    password: "uNguessable-1234",
  };
  const path = `/invite/${created.body.secret}/signup`;
  assert.equal((await request(path, { method: "POST", as: null, body: mallory })).status, 201);
  assert.match(refusal({})!, /Another account/);
  for (const username of ["mallory", "ann@example.com"])
    assert.match(refusal(proxied(username))!, /Another account/, username);
});

const proxied = (username: string, email: string | null = null) =>
  ({ method: "proxy", issuer: "proxy", subject: username, username, email }) as const;

test("nobody gets an account that another way to sign in has made with their name or address", async (t) => {
  const { who, refusal } = await openForAnn(t);
  const mallory = { username: "victor", email: "mallory@example.com" };
  const { id } = who(mallory);
  for (const name of ["victor", "mallory@example.com"])
    assert.match(refusal(proxied(name))!, /Another account/, name);
  assert.equal(who({ ...mallory, issuer: "https://other.example.com" }).id, id, "by its address");
  who(proxied("olga", "ann@example.com"));
  assert.match(refusal({ subject: "2" })!, /Another account/);
});

test("which way has made an account is part of a dataset, unlike to whom it belongs", async (t) => {
  const before = await openForAnn(t);
  before.who({ username: "victor" });
  before.who(proxied("olga"));
  const { db, refusal, who } = await openForAnn(t);
  await importDataset(db, asChunks(exported(before.db)), { replaces: true });
  assert.match(refusal(proxied("victor"))!, /Another account/);
  assert.equal(who({}).username, "victor");
  assert.equal(who(proxied("olga")).username, "olga");
});

test("an account that an administrator has made is found by its name and its address", async (t) => {
  const { who, request } = await openForAnn(t);
  const body = { username: "ann", email: "ann@example.com", rootRole: 3 };
  const { id } = (await request("/api/admin/user-admin", { method: "POST", body })).body;
  assert.equal(who({}).id, id);
  assert.equal(who(proxied("ann")).id, id);
});

test("a username leads to an account only if a proxy says it", async (t) => {
  const { signIn, rows, refusal } = await openForAnn(t);
  const nina = { username: "nina", email: null };
  assert.match(refusal(nina)!, /Another account/);
  signIn(proxied("nina"));
  assert.deepEqual(rows("SELECT user_id, proxy_user FROM sessions"), [{ user_id: 5, proxy_user: "nina" }]);
});

test("who gets no account is told why, and the attempt is kept", async (t) => {
  const { refusal, rows } = await openForAnn(t);
  const emailDomains = ["example.com"];
  assert.match(refusal({}, { autoCreate: false })!, /no account here/);
  assert.match(refusal({ email: null })!, /Neither/);
  assert.match(refusal({ name: "a".repeat(256) })!, /can't be one here/);
  assert.match(refusal({ email: "ann@example.com.evil.net" }, { emailDomains })!, /domain/);
  assert.match(refusal({ email: "ann@example.com@evil.net" }, { emailDomains })!, /can't be one here/);
  assert.match(refusal({ username: "ann", email: null }, { emailDomains })!, /domain/);
  assert.match(refusal({ username: "nіna" })!, /Another account/, "with a Cyrillic letter");
  assert.equal(refusal({ email: "ann@EXAMPLE.com" }, { emailDomains }), undefined);
  assert.equal(rows("SELECT 1 FROM sign_ins WHERE failure IS NOT NULL AND user_id IS NULL").length, 7);
  assert.equal(rows("SELECT 1 FROM users").length, 6);
});

test("groups that have names elsewhere are joined and left, others stay", async (t) => {
  const { signIn, rows, events } = await openForAnn(t);
  const nina = { subject: "2", email: "nina@example.com" };
  const groups = () => rows("SELECT group_id AS id FROM group_users WHERE user_id = 5").map(({ id }) => id);
  signIn({ ...nina, groups: ["developers", "dev", "unknown"] });
  assert.deepEqual(groups(), [1, 3]);
  assert.deepEqual(
    events().map(({ type, data, preData }) => [type, data ?? preData]),
    [
      ["group-user-added", { groupId: 1, userId: 5 }],
      ["group-user-removed", { groupId: 2, userId: 5 }],
    ],
  );
  signIn(nina);
  signIn({ ...nina, groups: [...Array.from({ length: 10_000 }, (_, index) => `g${index}`), "dev"] });
  assert.deepEqual(groups(), [1, 3]);
  signIn({ ...nina, groups: [] });
  assert.deepEqual(groups(), [3]);
});

test("after a user is deleted, the same person is a new one, if that is allowed", async (t) => {
  const { who, refusal, request } = await openForAnn(t);
  const { id } = who({});
  assert.equal((await request(`/api/admin/user-admin/${id}`, { method: "DELETE" })).status, 200);
  assert.match(refusal({}, { autoCreate: false })!, /no account/);
  assert.equal(who({}).id, id + 1);
});
