import assert from "node:assert/strict";
import { test } from "node:test";
import { ANYBODY, CLI } from "../../src/access/actor.ts";
import { createSignInLink } from "../../src/access/session-store.ts";
import { type Tx, write, writeSoon } from "../../src/events/write.ts";
import { signInIdentity } from "../../src/people/identities.ts";
import { signIn } from "../../src/people/sessions.ts";
import { changeSetting, PASSWORDS } from "../../src/settings/settings.ts";
import { giveWays } from "../../src/sign-in/oidc-schema.ts";
import { scenarios } from "../support/server.ts";
import { personal } from "../support/world.ts";
import { openForNina, PASSWORD } from "./signing-in.ts";

const SETTINGS = "/api/admin/auth/simple/settings";
const ID = "unleash.auth.simple";

scenarios(`GET ${SETTINGS}`, [
  {
    name: "an Admin",
    see: (body) => assert.deepEqual(body, { disabled: false, adminsWithoutPassword: 0 }),
  },
  { name: "an Editor", as: personal(2), expect: [403, "NoAccessError"] },
]);
scenarios(`POST ${SETTINGS}`, [
  {
    name: "switched on",
    body: { disabled: false },
    records: [{ type: "setting-created", data: { id: ID, disabled: false }, preData: null }],
    see: (body) => assert.deepEqual(body, { disabled: false, adminsWithoutPassword: 0 }),
  },
  { name: "nobody could sign in", body: { disabled: true }, expect: [409, "ConflictError"] },
  { name: "an Editor", as: personal(2), body: { disabled: true }, expect: [403, "NoAccessError"] },
  { name: "nothing", body: {}, expect: [400, "ValidationError"] },
  { name: "neither on nor off", body: { disabled: "maybe" }, expect: [400, "ValidationError"] },
]);

test("while passwords are off, nobody signs in with one, and links, sessions and tokens work", async (t) => {
  const { request, served, signIn, signedIn, db } = await openForNina(t);
  const admitted = { autoCreate: true, emailDomains: [], rootRole: 1 };
  const ann = { method: "proxy", issuer: "proxy", subject: "ann", username: "ann" } as const;
  const NONE = { email: null, name: null, signOutUrl: null };
  write(db, CLI, (tx) => signInIdentity(tx, { ...ann, ...NONE }, admitted, null));
  giveWays(db, { hasProxy: true });
  const cookie = await signedIn();
  const set = (disabled: boolean) => request(SETTINGS, { method: "POST", body: { disabled } });
  assert.equal((await set(true)).status, 200);
  for (const password of [PASSWORD, "wrong"]) {
    const { status, body } = await signIn("nina", password);
    assert.deepEqual([status, body.name], [422, "DisabledError"]);
  }
  const prepared = await request("/auth/simple/second-factor", {
    ...{ method: "POST", as: null },
    body: { username: "nina", password: PASSWORD },
  });
  assert.equal(prepared.status, 422);
  assert.equal((await request("/api/admin/user", { as: null, headers: { cookie } })).status, 200);
  const { body: config } = await request("/api/admin/ui-config", { as: personal(3) });
  assert.equal(config.disablePasswordAuth, true);
  const { body: asked } = await request("/api/admin/user", { as: null });
  assert.equal(asked.defaultHidden, true);
  const link = write(db, CLI, (tx) => createSignInLink(tx, 5));
  assert.equal((await served({}).request(link)).status, 302);
  await set(false);
  assert.equal((await signIn("nina", PASSWORD)).status, 200);
});

test("passwords are looked at again where the session begins, in case they have just been switched off", async (t) => {
  const { db } = await openForNina(t);
  const request = { db, body: { username: "nina", password: PASSWORD }, isSecure: true };
  const commit = <T>(change: (tx: Tx) => T) => {
    write(db, CLI, (tx) => changeSetting(tx, PASSWORDS, { disabled: true }));
    return writeSoon(db, ANYBODY, change);
  };
  await assert.rejects(async () => signIn.handle(request as never, commit), { name: "DisabledError" });
});
