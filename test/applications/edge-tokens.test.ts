import assert from "node:assert/strict";
import crypto from "node:crypto";
import { type TestContext, test } from "node:test";
import { useEdgeSecret } from "../../src/applications/edge-tokens.ts";
import { assertRecorded, openServer, watchLog } from "../support/server.ts";
import { createWorld } from "../support/world.ts";

const PATH = "/edge/issue-token";
const SECRET = Buffer.from("shared with an Edge").toString("base64url");
const AN_HOUR_AGO = () => new Date(Date.now() - 3_600_000).toISOString();

interface Signed {
  secret?: string;
  client?: string;
  time?: string;
  nonce?: string;
  /** What is sent in place of what was signed. */
  sent?: object;
}

/** The headers of a request as an Edge signs it. */
function signed(body: object, { secret = SECRET, client = "enterprise-edge", ...given }: Signed = {}) {
  const { time = new Date().toISOString(), nonce = crypto.randomUUID() } = given;
  const digest = crypto.hash("sha256", JSON.stringify(body), "hex");
  const signature = crypto
    .createHmac("sha256", Buffer.from(secret, "base64url"))
    .update(["POST", PATH, time, nonce, digest].join("\n"))
    .digest("base64url");
  return {
    authorization: `HMAC ${client}:${signature}`,
    "x-timestamp": time,
    "x-nonce": nonce,
    "content-sha256": digest,
  };
}

async function openFor(t: TestContext, secret: string | null = SECRET) {
  const server = await openServer(t, createWorld().project("a").project("b"));
  if (secret !== null) assert.ok(useEdgeSecret(server.db, secret));
  const ask = (scopes: object[], how: Signed = {}) => {
    const body = { tokens: scopes };
    const headers = signed(body, how);
    return server.request(PATH, { method: "POST", as: null, headers, body: how.sent ?? body });
  };
  return { ...server, ask };
}

const ONE = { environment: "development", projects: ["a"] };
const SEVERAL = { environment: "production", projects: ["b", "a"] };

test("an Edge gets a token for each scope, and the same ones again", async (t) => {
  const { ask, request, db } = await openFor(t);
  const recorded = watchLog(db);
  const { status, body } = await ask([ONE, SEVERAL]);
  assert.equal(status, 200);
  const [one, several] = body.tokens;
  assert.deepEqual(one, { token: one.token, type: "backend", ...ONE });
  assert.match(one.token, /^a:development\.[0-9a-f]{56}$/);
  assert.match(several.token, /^\[\]:production\.[0-9a-f]{56}$/);
  assert.equal((await request("/api/client/features", { as: one.token })).status, 200);
  const { body: same } = await ask([{ projects: ["a", "b"], environment: "production" }]);
  assert.equal(same.tokens[0].token, several.token);
  const created = { type: "api-token-created" as const, createdBy: "unleash_system_user" };
  assertRecorded(recorded(), [
    { ...created, project: "a", data: { tokenName: "enterprise_edge_development_a", type: "client" } },
    { ...created, project: "a,b", data: { tokenName: "enterprise_edge_production_a_b" } },
  ]);
});

test("a token that was revoked does not come back", async (t) => {
  const { ask, request } = await openFor(t);
  const issued = async () => (await ask([ONE])).body.tokens[0].token;
  const first = await issued();
  await request(`/api/admin/api-tokens/${first}`, { method: "DELETE" });
  const second = await issued();
  assert.notEqual(second, first);
  assert.equal((await request("/api/client/features", { as: first })).status, 401);
});

test("a request that no known Edge has signed is refused, and so is one that was sent before", async (t) => {
  const { ask, request } = await openFor(t);
  const refused: Signed[] = [
    { secret: Buffer.from("shared with another").toString("base64url") },
    { client: "someone" },
    { time: AN_HOUR_AGO() },
    { time: "now" },
    { sent: { tokens: [SEVERAL] } },
  ];
  for (const how of refused) assert.equal((await ask([ONE], how)).status, 401, JSON.stringify(how));
  const unsigned = await request(PATH, { method: "POST", as: null, body: { tokens: [ONE] } });
  assert.deepEqual([unsigned.status, unsigned.body.name], [401, "AuthenticationRequired"]);
  const foreign = { ...signed({ tokens: [ONE] }), authorization: `HMAC enterprise-edge:${"é".repeat(43)}` };
  const wrong = await request(PATH, { method: "POST", as: null, headers: foreign, body: { tokens: [ONE] } });
  assert.equal(wrong.status, 401);
  assert.equal((await ask([ONE], { nonce: "once" })).status, 200);
  assert.equal((await ask([ONE], { nonce: "once" })).status, 401);
});

test("without a shared secret nobody gets a token, and it can't be short", async (t) => {
  const { ask, db } = await openFor(t, null);
  assert.equal((await ask([ONE], { secret: "" })).status, 401);
  assert.equal(useEdgeSecret(db, "c2hvcnQ"), false);
});

test("a scope names what exists", async (t) => {
  const { ask } = await openFor(t);
  for (const [scope, path] of [
    [{ ...ONE, environment: "nope" }, "body.tokens.1.environment"],
    [{ ...ONE, projects: ["nope"] }, "body.tokens.1.projects"],
    [{ ...ONE, projects: [] }, "body.tokens.1.projects"],
  ] as const) {
    const { status, body } = await ask([ONE, scope]);
    assert.deepEqual([status, body.details[0].path], [400, path]);
  }
});
