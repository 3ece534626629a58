import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ServerOptions } from "../../src/server/options.ts";
import { cookieOf, openForNina, signInInit } from "../sign-in/signing-in.ts";
import { personal } from "../support/world.ts";

/** Creates a flag with a session and these headers; returns the status and whether the flag exists. */
async function openSite(t: TestContext, options: Partial<ServerOptions> = {}) {
  const { served, request, signedIn } = await openForNina(t);
  const app = served(options);
  const cookie = await signedIn();
  const path = `${options.basePath ?? ""}/api/admin/projects/default/features`;
  const names = async () =>
    (await request("/api/admin/projects/default/features")).body.features.map(
      ({ name }: { name: string }) => name,
    );
  let count = 0;
  return async (headers: Record<string, string>, url = "http://flags.example:4242") => {
    const name = `f${++count}`;
    const response = await app.request(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", cookie, ...headers },
      body: JSON.stringify({ name }),
    });
    assert.equal((await names()).includes(name), response.status === 201);
    if (response.status === 403)
      assert.equal(((await response.json()) as { name: string }).name, "NoAccessError");
    return response.status;
  };
}

test("with a session, only our own pages can make changes", async (t) => {
  const send = await openSite(t);
  for (const [headers, status] of [
    [{}, 201],
    [{ origin: "http://flags.example:4242" }, 201],
    [{ origin: "http://flags.example:4242", "sec-fetch-site": "same-origin" }, 201],
    [{ "sec-fetch-site": "same-origin" }, 201],
    [{ "sec-fetch-site": "none" }, 201],
    [{ referer: "http://flags.example:4242/projects" }, 201],
    [{ referer: "http://evil.example/flags.example:4242" }, 403],
    [{ origin: "http://evil.example" }, 403],
    [{ origin: "http://flags.example" }, 403],
    [{ origin: "http://flags.example:4243" }, 403],
    [{ origin: "http://flags.example:4242.evil.example" }, 403],
    [{ origin: "http://evil.flags.example:4242" }, 403],
    [{ origin: "null" }, 403],
    [{ origin: "" }, 403],
    [{ origin: "nonsense" }, 403],
    [{ origin: "file://" }, 403],
    [{ "sec-fetch-site": "cross-site" }, 403],
    [{ "sec-fetch-site": "same-site" }, 403],
    [{ origin: "http://evil.example", "sec-fetch-site": "same-origin" }, 403],
    [{ origin: "http://evil.example", referer: "http://flags.example:4242/" }, 403],
    [{ origin: "http://evil.example", "x-forwarded-host": "evil.example" }, 403],
  ] as Array<[Record<string, string>, number]>)
    assert.equal(await send(headers), status, JSON.stringify(headers));
});

test("behind a proxy, pages of the public URL count as our own too", async (t) => {
  const send = await openSite(t, { publicUrl: "https://flags.example/app", basePath: "/app" });
  const inside = "http://10.0.0.7:4242";
  assert.equal(await send({ origin: "https://flags.example" }, inside), 201);
  assert.equal(await send({ origin: inside }, inside), 201);
  assert.equal(await send({ origin: "https://evil.example" }, inside), 403);
  assert.equal(await send({ origin: "null" }, inside), 403);
  assert.equal(await send({ "sec-fetch-site": "cross-site" }, inside), 403);
});

test("behind a trusted proxy, pages of the host that it was asked for count as our own", async (t) => {
  const send = await openSite(t, { trustsProxy: true });
  const inside = "http://flagstone:4242";
  const asked = (host: string, proto = "https") => ({ "x-forwarded-host": host, "x-forwarded-proto": proto });
  for (const [headers, status] of [
    [{ origin: "https://flags.example", ...asked("flags.example") }, 201],
    [{ origin: "https://flags.example:8443", ...asked("flags.example:8443") }, 201],
    [{ origin: "https://flags.example", ...asked("flags.example, flagstone:4242", "https, http") }, 201],
    [{ origin: "http://flags.example", ...asked("flags.example", "http") }, 201],
    [{ referer: "https://flags.example/projects", ...asked("flags.example") }, 201],
    [{ origin: "http://flags.example", ...asked("flags.example") }, 403],
    [{ origin: "https://evil.example", ...asked("flags.example") }, 403],
    [{ origin: "https://flags.example.evil.example", ...asked("flags.example") }, 403],
    [{ origin: "https://flagstone", ...asked("flags.example, flagstone") }, 403],
    [{ origin: "https://flags.example", ...asked("") }, 403],
    [{ origin: "null", ...asked("null") }, 403],
    [{ "sec-fetch-site": "cross-site", ...asked("flags.example") }, 403],
  ] as Array<[Record<string, string>, number]>)
    assert.equal(await send(headers, inside), status, JSON.stringify(headers));
});

test("without --trust-proxy, anyone can name a forwarded host", async (t) => {
  const send = await openSite(t);
  const headers = { origin: "https://flags.example", "x-forwarded-host": "flags.example" };
  assert.equal(await send(headers, "http://flagstone:4242"), 403);
});

test("with TLS, the same page without it is another site", async (t) => {
  const send = await openSite(t, { publicUrl: "https://flags.example" });
  const url = "https://flags.example";
  assert.equal(await send({ origin: "https://flags.example" }, url), 201);
  assert.equal(await send({ origin: "http://flags.example" }, url), 403);
  assert.equal(await send({ origin: "http://flags.example" }, "http://10.0.0.7:4242"), 403);
});

test("other sites can't make any change, but can read", async (t) => {
  const { request, signedIn } = await openForNina(t);
  const cookie = await signedIn();
  const headers = { cookie, origin: "http://evil.example" };
  const flag = "/api/admin/projects/default/features/f";
  for (const [method, path] of [
    ["POST", "/api/admin/projects"],
    ["POST", `${flag}/environments/development/on`],
    ["DELETE", flag],
    ["POST", "/api/admin/user/tokens"],
    ["PUT", "/api/admin/nothing"],
    ["PATCH", flag],
  ] as const)
    assert.equal((await request(path, { method, as: null, headers })).status, 403, `${method} ${path}`);
  for (const method of ["GET", "HEAD", "OPTIONS"])
    assert.equal((await request("/api/admin/projects", { method, as: null, headers })).status, 200, method);
});

test("a token, which no browser sends by itself, works from any origin", async (t) => {
  const { request, signedIn } = await openForNina(t);
  const headers = { origin: "http://evil.example", "sec-fetch-site": "cross-site" };
  const make = (name: string, more = {}) =>
    request("/api/admin/projects/default/features", {
      method: "POST",
      as: personal(1),
      headers: { ...headers, ...more },
      body: { name },
    });
  assert.equal((await make("f")).status, 201);
  assert.equal(
    (await make("g", { cookie: await signedIn() })).status,
    403,
    "unless there is a session, which takes precedence",
  );
});

test("a server's cookie is sent to all of its paths, also below a base path", async (t) => {
  const { served } = await openForNina(t);
  const app = served({ basePath: "/app" });
  const { headers } = await app.request("http://flags.example/app/auth/simple/login", signInInit());
  assert.match(headers.getSetCookie()[0]!, /; Path=\/;/);
  const cookie = cookieOf(headers);
  const reply = await app.request("http://flags.example/app/api/admin/projects", { headers: { cookie } });
  assert.equal(reply.status, 200);
});
