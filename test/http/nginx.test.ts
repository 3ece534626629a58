import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { listen } from "../../src/http/listen.ts";
import { createServer } from "../../src/server/app.ts";
import type { SigningProxy } from "../../src/server/options.ts";
import { personal } from "../support/world.ts";
import { LOCAL } from "./raw-http.ts";
import { cookieOf, openForNina, PASSWORD } from "./signing-in.ts";

/*
 * The server behind nginx, configured as docs/operating.md shows.
 */

const SIGN_IN = "docs/sign-in.md";

const isMissing = ["nginx", "openssl"].find((program) => spawnSync(program, ["-v"]).error !== undefined);
const options = { skip: isMissing && `${isMissing} is not installed`, timeout: 60_000 };

/** The example on a page of the documentation, with this upstream, and with files of a folder. */
function configuration(folder: string, upstream: string, page: string) {
  const [, example = ""] = fs.readFileSync(page, "utf8").split("```nginx\n");
  const [server = ""] = example.split("```");
  const places: Array<[string, string]> = [
    ...(page === SIGN_IN ? [["/etc/ssl/people.pem", `${folder}/person.pem`] as [string, string]] : []),
    ["listen 443 ssl", `listen unix:${folder}/socket ssl`],
    ["/etc/ssl/flags.example.pem", `${folder}/cert.pem`],
    ["/etc/ssl/flags.example.key", `${folder}/key.pem`],
    ["http://127.0.0.1:4242", upstream],
  ];
  for (const [place] of places) assert.ok(server.includes(place), place);
  const adapted = places.reduce((edited, [place, own]) => edited.replace(place, own), server);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (of) => `${of}_temp_path ${folder};`,
  );
  return `daemon off; pid ${folder}/pid; error_log stderr error; events {}
    http { access_log off; ${temporary.join(" ")} ${adapted} }`;
}

/** Starts the server and nginx before it; returns a function that asks nginx as a browser does. */
async function openBehindNginx(t: TestContext, page = "docs/operating.md", authProxy?: SigningProxy) {
  const server = await openForNina(t);
  const { listener, streams } = createServer({ db: server.db, log: () => {}, trustsProxy: true, authProxy });
  const listening = await listen(listener, LOCAL);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "nginx-"));
  makeCertificate(folder);
  makeCertificate(folder, "nina", "person");
  fs.writeFileSync(`${folder}/nginx.conf`, configuration(folder, listening.url, page));
  const nginx = spawn("nginx", ["-c", `${folder}/nginx.conf`, "-p", folder], { stdio: "inherit" });
  t.after(async () => {
    if (nginx.kill()) await once(nginx, "exit");
    streams.close();
    await listening.close();
    fs.rmSync(folder, { recursive: true });
  });
  while (!fs.existsSync(`${folder}/pid`)) {
    assert.equal(nginx.exitCode, null, "nginx accepts the configuration");
    await setTimeout(20);
  }
  const [ca, cert, key] = ["cert.pem", "person.pem", "person-key.pem"].map((name) =>
    fs.readFileSync(`${folder}/${name}`),
  );
  return {
    ...server,
    ask: asker(`${folder}/socket`, ca!),
    askAsNina: asker(`${folder}/socket`, ca!, { cert, key }),
  };
}

function makeCertificate(folder: string, name = "flags.example", file = "") {
  const making = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const subject = ["-subj", `/O=Shop/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  const files = [
    "-keyout",
    `${folder}/${file && `${file}-`}key.pem`,
    "-out",
    `${folder}/${file || "cert"}.pem`,
  ];
  execFileSync("openssl", [...making, ...subject, ...files], { stdio: "ignore" });
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
  const { ask, request } = await openBehindNginx(t);
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
  const from = new net.BlockList();
  from.addAddress("127.0.0.1");
  const authProxy = {
    from,
    headers: { user: "x-client-name" },
    separator: ",",
    role: undefined,
    logout: undefined,
  };
  const { ask, askAsNina } = await openBehindNginx(t, SIGN_IN, authProxy);
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
  const { ask } = await openBehindNginx(t);
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
  const { ask, request } = await openBehindNginx(t);
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
