import assert from "node:assert/strict";
import { test } from "node:test";
import { CLI } from "../../src/access/actor.ts";
import { createSignInLink } from "../../src/access/session.ts";
import { write } from "../../src/events/write.ts";
import { openForNina, PASSWORD } from "../http/signing-in.ts";
import { scenarios } from "../support/server.ts";
import { personal } from "../support/world.ts";

const SETTINGS = "/api/admin/auth/simple/settings";
const ID = "unleash.auth.simple";

scenarios(`GET ${SETTINGS}`, [
  { name: "an Admin", see: (body) => assert.deepEqual(body, { disabled: false }) },
  { name: "an Editor", as: personal(2), expect: [403, "NoAccessError"] },
]);
scenarios(`POST ${SETTINGS}`, [
  {
    name: "switched off",
    body: { disabled: true },
    records: [{ type: "setting-created", data: { id: ID, disabled: true }, preData: null }],
    see: (body) => assert.deepEqual(body, { disabled: true }),
  },
  { name: "an Editor", as: personal(2), body: { disabled: true }, expect: [403, "NoAccessError"] },
  { name: "nothing", body: {}, expect: [400, "ValidationError"] },
  { name: "neither on nor off", body: { disabled: "maybe" }, expect: [400, "ValidationError"] },
]);

test("while passwords are off, nobody signs in with one, and links, sessions and tokens work", async (t) => {
  const { request, served, signIn, signedIn, db } = await openForNina(t);
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
