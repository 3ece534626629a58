import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { TOTP } from "otpauth";
import { SYSTEM } from "../../src/access/actor.ts";
import { ROLES } from "../../src/access/permissions.ts";
import { rotateKey } from "../../src/db/secrets.ts";
import { write } from "../../src/events/write.ts";
import { stepOf } from "../../src/people/one-time-code.ts";
import { reencryptFactors, requireFactorOf } from "../../src/people/second-factor-store.ts";
import { cookieOf, openForNina, PASSWORD } from "../sign-in/signing-in.ts";
import { watchLog } from "../support/server.ts";
import { personal } from "../support/world.ts";

const FACTOR = "/api/admin/user/second-factor";
const START = Date.parse("2026-05-01T00:00:00.000Z");

/** Nina with an authenticator app, at a time that stands still. */
async function openWithApp(t: TestContext) {
  t.mock.timers.enable({ apis: ["Date"], now: START });
  const server = await openForNina(t);
  const signIn = (code?: string, password = PASSWORD) =>
    server.request("/auth/simple/login", {
      method: "POST",
      as: null,
      body: { username: "nina", password, ...(code !== undefined && { code }) },
    });
  const prepared = () =>
    server.request("/auth/simple/second-factor", {
      method: "POST",
      as: null,
      body: { username: "nina", password: PASSWORD },
    });
  const app = (secret: string) => (seconds: number) =>
    new TOTP({ secret }).generate({ timestamp: START + seconds * 1000 });
  const at = (seconds: number) => t.mock.timers.setTime(START + seconds * 1000);
  return { ...server, signIn, prepared, app, at };
}

/** The same with the second factor enabled, in the step that begins at 0; the next steps begin at 30, 60, … */
async function openWithFactor(t: TestContext) {
  const server = await openWithApp(t);
  const cookie = cookieOf((await server.signIn()).headers);
  const { body: key } = await server.prepared();
  const code = server.app(key.secret);
  const send = (path: string, body: object) =>
    server.request(path, { method: "POST", as: null, headers: { cookie }, body });
  const { body, status } = await send(FACTOR, { code: code(0) });
  assert.equal(status, 200);
  return { ...server, send, cookie, key, code, recoveryCodes: body.recoveryCodes as string[] };
}

const nameOf = async (answer: Promise<{ status: number; body: { name?: string } }>) => {
  const { status, body } = await answer;
  return [status, status === 200 ? undefined : body.name];
};

const REFUSED = [401, "SecondFactorRequired"];

test("codes are those of RFC 6238, one step early or late", () => {
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"; // the text 12345678901234567890
  assert.equal(stepOf(secret, "287082", 59_000), 1);
  assert.equal(stepOf(secret, "081804", 1_111_111_109_000), 37037036);
  assert.equal(stepOf(secret, "287082", 89_000), 1);
  assert.equal(stepOf(secret, "287082", 90_000), undefined);
  assert.equal(stepOf(secret, "287082", 0), 1);
});

test("a sign-in asks for a code only once the password is right", async (t) => {
  const { signIn, code, at } = await openWithFactor(t);
  at(30);
  assert.deepEqual(await nameOf(signIn(undefined, "wrong")), [401, "PasswordMismatch"]);
  assert.deepEqual(await nameOf(signIn(code(30), "wrong")), [401, "PasswordMismatch"]);
  assert.deepEqual(await nameOf(signIn()), REFUSED);
  assert.deepEqual(await nameOf(signIn("")), REFUSED);
  assert.deepEqual(await nameOf(signIn("000000")), REFUSED);
  assert.deepEqual(await nameOf(signIn(code(30))), [200, undefined]);
});

test("a code works once, and so do those before it; phones may be 30 seconds off", async (t) => {
  const { signIn, code, at } = await openWithFactor(t);
  assert.deepEqual(await nameOf(signIn(code(0))), REFUSED, "the one that enabled it");
  at(60);
  assert.deepEqual(await nameOf(signIn(code(30))), [200, undefined], "late");
  const both = [signIn(code(90)), signIn(code(90))].map(nameOf);
  assert.deepEqual((await Promise.all(both)).sort(), [[200, undefined], REFUSED], "early, and twice at once");
  assert.deepEqual(await nameOf(signIn(code(60))), REFUSED, "older than one that was used");
  assert.deepEqual(await nameOf(signIn(code(120))), REFUSED, "too early");
});

test("recovery codes work once each, however they are typed, and only their hashes are stored", async (t) => {
  const { signIn, recoveryCodes, db, cookie, request } = await openWithFactor(t);
  assert.equal(recoveryCodes.length, 10);
  const [first = "", second = ""] = recoveryCodes;
  assert.deepEqual(await nameOf(signIn(first)), [200, undefined]);
  assert.deepEqual(await nameOf(signIn(first)), REFUSED);
  assert.deepEqual(await nameOf(signIn(` ${second.toUpperCase().replaceAll("-", " ")}`)), [200, undefined]);
  const { body } = await request(FACTOR, { as: null, headers: { cookie } });
  assert.deepEqual(body, { enabledAt: new Date(START).toISOString(), isRequired: false, recoveryCodes: 8 });
  const stored = JSON.stringify(db.prepare("SELECT * FROM second_factors").all());
  for (const code of recoveryCodes)
    assert.ok(!stored.includes(code) && !stored.includes(code.replaceAll("-", "")));
});

test("the key is encrypted, and is in no event, answer or history", async (t) => {
  const { db, key, request, signIn } = await openWithFactor(t);
  await signIn("000000");
  assert.match(key.uri, /^otpauth:\/\/totp\/Flagstone:Nina%40[Ee]xample\.com\?.*secret=/);
  const tables = ["second_factors", "events", "sign_ins"];
  const stored = tables.map((table) => JSON.stringify(db.prepare(`SELECT * FROM ${table}`).all())).join();
  assert.ok(!stored.includes(key.secret) && !stored.includes("000000"));
  assert.match(stored, /encrypted:1:/);
  assert.match(stored, /Wrong code/);
  assert.ok(!(await request("/api/admin/user-admin")).text.includes(key.secret));
});

test("wrong codes are limited like passwords, and a hundred in a row leave only recovery codes", async (t) => {
  const { signIn, send, code, recoveryCodes, db, at } = await openWithFactor(t);
  at(30);
  const remove = () => send(`${FACTOR}/remove`, { code: "000000" });
  const answers: unknown[] = [];
  for (let count = 0; count < 11; count++)
    answers.push((await nameOf(count % 2 ? remove() : signIn("000000")))[1]);
  assert.deepEqual(answers.slice(9), ["SecondFactorRequired", "RateLimitError"]);
  assert.equal(db.prepare("SELECT wrong FROM second_factors").pluck().get(), 10);
  at(120);
  db.exec("UPDATE second_factors SET wrong = 100");
  assert.deepEqual(await nameOf(signIn(code(120))), REFUSED);
  assert.deepEqual(await nameOf(signIn(recoveryCodes[0])), [200, undefined]);
  assert.deepEqual(await nameOf(signIn(code(120))), [200, undefined], "the count begins again");
});

test("wrong codes of a key that was never enabled don't count against the next one", async (t) => {
  const { db, prepared, signIn, app } = await openWithApp(t);
  requireFactorOf(db, [ROLES.admin, ROLES.editor, ROLES.viewer]);
  await prepared();
  db.exec("UPDATE second_factors SET wrong = 100");
  const { body: key } = await prepared();
  assert.equal((await signIn(app(key.secret)(0))).status, 200);
});

test("a new key for the file encrypts the app's key too", async (t) => {
  const { db, signIn, code, at } = await openWithFactor(t);
  const stored = () => db.prepare("SELECT secret FROM second_factors").pluck().get();
  const before = stored();
  rotateKey(db, () => write(db, SYSTEM, (tx) => void reencryptFactors(tx)));
  assert.notEqual(stored(), before);
  at(30);
  assert.equal((await signIn(code(30))).status, 200);
});

test("it is removed by its owner with a code, or by an administrator, and both are recorded", async (t) => {
  const { send, code, db, request, signIn, at, prepared } = await openWithFactor(t);
  assert.deepEqual(await nameOf(prepared()), [403, "InvalidOperationError"], "there is one");
  assert.deepEqual(await nameOf(send(FACTOR, { code: code(30) })), [403, "InvalidOperationError"]);
  const recorded = watchLog(db);
  assert.deepEqual(await nameOf(send(`${FACTOR}/remove`, { code: code(0) })), REFUSED);
  at(30);
  assert.equal((await send(`${FACTOR}/remove`, { code: code(30) })).status, 200);
  assert.equal((await signIn()).status, 200);
  const { body: again } = await prepared();
  assert.equal((await send(FACTOR, { code: new TOTP({ secret: again.secret }).generate() })).status, 200);
  const reset = (as?: string) =>
    request("/api/admin/user-admin/5/second-factor", { method: "DELETE", ...(as && { as }) });
  assert.equal((await reset(personal(2))).status, 403);
  assert.equal((await reset()).status, 200);
  assert.equal((await reset()).status, 404);
  assert.equal((await signIn()).status, 200);
  const { body: unused } = await prepared();
  assert.equal((await reset()).status, 200, "also one that is only prepared");
  assert.deepEqual(
    await nameOf(send(FACTOR, { code: new TOTP({ secret: unused.secret }).generate() })),
    REFUSED,
  );
  const types = recorded().map(({ type }) => type);
  assert.deepEqual(types, ["second-factor-removed", "second-factor-added", "second-factor-removed"]);
});

test("a role that requires one: it is set up at the next sign-in, or there is none", async (t) => {
  const { signIn, prepared, app, db, at } = await openWithApp(t);
  requireFactorOf(db, [ROLES.editor]);
  const SETUP = [401, "SecondFactorSetupRequired"];
  assert.deepEqual(await nameOf(signIn()), SETUP);
  assert.deepEqual(await nameOf(signIn("123456")), REFUSED, "nothing is prepared");
  const code = app((await prepared()).body.secret);
  assert.deepEqual(await nameOf(signIn()), SETUP);
  const { status, body } = await signIn(code(0));
  assert.deepEqual([status, body.recoveryCodes.length], [200, 10]);
  at(30);
  assert.deepEqual(await nameOf(signIn()), REFUSED);
  assert.equal((await signIn(code(30))).body.recoveryCodes, undefined);
  requireFactorOf(db, [ROLES.admin]);
  at(60);
  assert.deepEqual(await nameOf(signIn()), REFUSED, "who has one needs it");
});

test("a group's root role requires one too; tokens need none", async (t) => {
  const { signIn, request, db } = await openWithApp(t);
  requireFactorOf(db, [ROLES.admin]);
  assert.equal((await signIn()).status, 200);
  db.exec(`INSERT INTO groups (id, name, root_role, created_at) VALUES (9, 'admins', 1, '2026-01-01T00:00:00.000Z');
    INSERT INTO group_users (group_id, user_id, joined_at) VALUES (9, 5, '2026-01-01T00:00:00.000Z')`);
  assert.deepEqual(await nameOf(signIn()), [401, "SecondFactorSetupRequired"]);
  assert.equal((await request("/api/admin/user", { as: personal(1) })).status, 200);
});

test("without its key, a code is refused with the reason, and a recovery code still signs in", async (t) => {
  const { signIn, db, recoveryCodes, code, at } = await openWithFactor(t);
  db.exec("UPDATE second_factors SET secret = 'encrypted:1:00000000:AAAA'");
  at(30);
  const { status, body } = await signIn(code(30));
  assert.deepEqual([status, body.name], REFUSED);
  assert.match(body.message, /can no longer be read/);
  assert.equal((await signIn(recoveryCodes[0])).status, 200);
});
