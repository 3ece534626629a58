import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { NOBODY, runCli, runHere, serveHere, startServer, temporaryFolder } from "./run-cli.ts";

const SECRET = "an-operator's-own_secret.1234567890";
const SDK = "default:development.sdk-token-of-a-test";
const AS_ADMIN = { authorization: SECRET, "content-type": "application/json" };

/** A file whose flag was on at the event and is off now, with its own server. */
async function serveFlag(t: Parameters<typeof serveHere>[0]) {
  const data = path.join(temporaryFolder(t), "flags.db");
  const env = { FLAGSTONE_ADMIN_TOKEN: SECRET, INIT_CLIENT_API_TOKENS: SDK };
  const now = await serveHere(t, ["serve", "--data", data], { env });
  const change = async (to: string, body?: object) => {
    const init = { method: "POST", headers: AS_ADMIN, body: JSON.stringify(body ?? {}) };
    const reply = await fetch(`${now.url}/api/admin/projects/default/features${to}`, init);
    return reply.headers.get("flagstone-event");
  };
  await change("", { name: "checkout" });
  const event = await change("/checkout/environments/development/on");
  await change("/checkout/environments/development/off");
  return { data, now, event: event! };
}

test("beside the file's own server, another one shows what was, and changes nothing", async (t) => {
  const { data, now, event } = await serveFlag(t);
  const then = await serveHere(t, ["serve", "--data", data, "--at", event]);
  assert.match(then.output.stdout, /^Flagstone \S+ shows \S+ as of 20\d\d-\S+Z, read only\n/);
  const isOn = async ({ url }: typeof now) => {
    const reply = await fetch(`${url}/api/client/features`, { headers: { authorization: SDK } });
    return ((await reply.json()) as { features: Array<{ enabled: boolean }> }).features.map(
      (one) => one.enabled,
    );
  };
  assert.deepEqual([await isOn(now), await isOn(then)], [[false], [true]]);

  const off = "/api/admin/projects/default/features/checkout/environments/development/off";
  const refused = await fetch(then.url + off, { method: "POST", headers: AS_ADMIN });
  assert.equal(refused.status, 403);
  assert.match(((await refused.json()) as Error).message, /^This is as of 20\S+Z: nothing can be changed$/);

  const [, command] = /^Open: {2}flagstone (user link USER .*)$/m.exec(then.output.stdout)!;
  const link = (await runHere(command!.replace("USER", "admin").split(" "))).stdout.trimEnd();
  const signedIn = await fetch(link, { redirect: "manual" });
  assert.equal(signedIn.status, 302);
  const headers = { cookie: signedIn.headers.get("set-cookie")!.split(";")[0]! };
  const me = await fetch(`${then.url}/api/admin/user`, { headers });
  assert.deepEqual([me.status, me.headers.get("flagstone-at")?.slice(0, 2)], [200, "20"]);
  assert.equal(
    (await fetch(`${then.url}/logout`, { method: "POST", headers, redirect: "manual" })).status,
    302,
  );
  await then.stop();
  await now.stop();
});

test("who can only read the file can show it too, to tokens", async (t) => {
  const { data, now, event } = await serveFlag(t);
  fs.chmodSync(path.dirname(data), 0o755);
  for (const file of fs.readdirSync(path.dirname(data)))
    fs.chmodSync(path.join(path.dirname(data), file), 0o644);
  const then = await startServer(t, ["serve", "--data", data, "--at", event], { uid: NOBODY });
  assert.equal((await fetch(`${then.url}/api/admin/projects`, { headers: AS_ADMIN })).status, 200);
  const signIn = await fetch(`${then.url}/auth/link/unknown`);
  assert.equal(signIn.status, 503);
  await then.stop();
  await now.stop();
});

test("a time that can't be shown is an error, and no file is created", async (t) => {
  const { data, now } = await serveFlag(t);
  await now.stop();
  for (const [at, expected, message] of [
    ["2999-01-01", 2, /^flagstone: --at: 2999-01-01 is in the future/],
    ["2020-01-01", 3, /The history begins at 20/],
    ["x", 2, /x is not a time such as/],
  ] as const) {
    const { code, stderr } = await runCli(["serve", "--data", data, "--port", "0", "--at", at]);
    assert.equal(code, expected);
    assert.match(stderr, message);
  }
  const none = path.join(temporaryFolder(t), "none.db");
  assert.equal((await runCli(["serve", "--data", none, "--at", "1"])).code, 3);
  assert.ok(!fs.existsSync(none));
});
