import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import type { ServerOptions } from "../../src/server/options.ts";
import { cookieOf, PASSWORD } from "../sign-in/signing-in.ts";
import { personal } from "../support/world.ts";
import { byCertificate, openBehindNginx, SIGN_IN, without } from "./behind-nginx.ts";

const options = { skip: without("nginx", "openssl"), timeout: 60_000 };

/** The same with functions that ask nginx as a browser does, also with Nina's certificate. */
async function openWithAsker(
  t: TestContext,
  page = "docs/operating.md",
  serverOptions: Partial<ServerOptions> = {},
) {
  const opened = await openBehindNginx(t, page, serverOptions);
  const socket = `${opened.folder}/socket`;
  const [ca, cert, key] = ["cert.pem", "person.pem", "person-key.pem"].map((name) =>
    fs.readFileSync(`${opened.folder}/${name}`),
  );
  return { ...opened, ask: asker(socket, ca!), askAsNina: asker(socket, ca!, { cert, key }) };
}

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: object;
}

const asker =
  (socketPath: string, ca: Buffer, own: https.RequestOptions = {}) =>
  async (target: string, { method = "GET", headers = {}, body }: Asked = {}): Promise<IncomingMessage> => {
    const known = { host: "flags.example", ...(body && { "content-type": "application/json" }) };
    const to = { ...own, socketPath, ca, servername: "flags.example", agent: false, path: target, method };
    const request = https.request({ ...to, headers: { ...known, ...headers } });
    request.end(body && JSON.stringify(body));
    const [response] = await once(request, "response");
    return response;
  };

test("behind nginx, a page signs in and makes changes, and other sites can't", options, async (t) => {
  const { ask, request } = await openWithAsker(t);
  const login = { method: "POST", body: { username: "nina", password: PASSWORD } };
  const signedIn = await ask("/auth/simple/login", login);
  const cookies = signedIn.headers["set-cookie"] ?? [];
  assert.match(cookies[0]!, /; Secure$/);
  const { events } = (await request("/api/admin/logins")).body;
  assert.equal(typeof events[0].username, "string");
  const cookie = cookieOf(new Headers({ "set-cookie": cookies[0]! }));
  const create = (origin: string, name: string) =>
    ask("/api/admin/projects/default/features", {
      method: "POST",
      headers: { cookie, origin },
      body: { name },
    });
  assert.equal((await create("https://evil.example", "stolen")).statusCode, 403);
  const created = await create("https://flags.example", "checkout");
  assert.equal(created.statusCode, 201, await text(created));
});

test("behind nginx, a client certificate signs in, and nothing else does", options, async (t) => {
  const { ask, askAsNina } = await openWithAsker(t, SIGN_IN, { authProxy: byCertificate() });
  const who = (headers = {}) => askAsNina("/api/admin/user", { headers });
  const first = await who();
  assert.equal(JSON.parse(await text(first)).user.username, "nina");
  const cookie = cookieOf(new Headers({ "set-cookie": first.headers["set-cookie"]![0]! }));
  const forged = await who({
    cookie,
    "x-client-name": "admin",
    x_client_name: "admin",
    connection: "x-client-name",
  });
  assert.equal(JSON.parse(await text(forged)).user.username, "nina");
  const create = (origin: string) =>
    askAsNina("/api/admin/projects/default/features", {
      method: "POST",
      headers: { cookie, origin },
      body: { name: "checkout" },
    });
  assert.equal((await create("https://evil.example")).statusCode, 403);
  assert.equal((await create("https://flags.example")).statusCode, 201);
  assert.equal((await ask("/api/admin/user", { headers: { cookie } })).statusCode, 400, "no certificate");
});

test("through nginx, paths and large bodies arrive as they were sent", options, async (t) => {
  const { ask } = await openWithAsker(t);
  const headers = { authorization: personal(1) };
  const missing = await text(await ask("/api/admin/projects/default/features/a%2Fb", { headers }));
  assert.match(JSON.parse(missing).message, /a\/b/);
  for (const mebibytes of [1, 8]) {
    const large = { method: "POST", headers, body: { name: "x".repeat(mebibytes * 1024 * 1024) } };
    const refused = await ask("/api/admin/projects/default/features", large);
    assert.equal(JSON.parse(await text(refused)).name, "PayloadTooLargeError");
  }
});

test("through nginx, a stream's messages arrive as they happen", options, async (t) => {
  const { ask, request } = await openWithAsker(t);
  const stream = await ask("/api/admin/events/stream", { headers: { authorization: personal(1) } });
  t.after(() => stream.destroy());
  assert.equal(stream.statusCode, 200);
  const create = (name: string) =>
    request("/api/admin/projects/default/features", { method: "POST", body: { name } });
  for (const name of ["first", "second"]) {
    await create(name);
    let received = "";
    while (!received.includes(`"featureName":"${name}"`)) received += String((await once(stream, "data"))[0]);
  }
});
