import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { close, open } from "../../src/db/open.ts";
import { until } from "../support/receiver.ts";
import { createWorld, personal } from "../support/world.ts";
import {
  assertRefused,
  contentOf,
  dataFile,
  linesOf,
  runHere,
  serveHere,
  startServer,
  temporaryFolder,
} from "./run-cli.ts";

const SECRET = "an-operator's-own_secret.1234567890";
const HEADER = { kind: "dataset", version: 1 };
const toText = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

const newFile = (t: TestContext) => path.join(temporaryFolder(t), "flags.db");
const filesBeside = (data: string) => fs.readdirSync(path.dirname(data));

describe("the first start", { concurrency: 3 }, () => {
  test("a token is printed once and the printed request works; the second start prints none", async (t) => {
    const data = newFile(t);
    const first = await serveHere(t, ["serve", "--data", data]);
    const [, header, address] = /^Try: +curl -H "(Authorization: \S+)" (\S+)$/m.exec(first.output.stdout)!;
    assert.match(first.token!, /^user:[0-9a-f]{56}$/);
    assert.equal(header, `Authorization: ${first.token}`);
    const reply = await fetch(address!, { headers: { authorization: first.token! } });
    assert.equal(reply.status, 200);
    const { events } = (await reply.json()) as { events: Array<{ type: string; createdBy: string }> };
    assert.deepEqual(
      events.map((event) => [event.type, event.createdBy]),
      [
        ["pat-created", "cli"],
        ["project-user-added", "cli"],
        ["user-created", "cli"],
      ],
    );
    assert.equal((await first.get("/addons/1/events")).status, 404, "the token is an administrator's");
    const { projects } = (await (await first.get("/personal-dashboard")).json()) as { projects: object[] };
    assert.deepEqual(projects, [
      { id: "default", name: "Default", health: 100, technicalDebt: 0, memberCount: 1, featureCount: 0 },
    ]);
    const { code, stdout, stderr } = await first.stop();
    assert.equal(code, 0);
    assert.equal(stdout.split(first.token!).length - 1, 2, "once by itself, once in the example request");
    assert.ok(!stderr.includes(first.token!));

    const second = await serveHere(t, ["serve", "--data", data]);
    assert.equal(second.token, undefined);
    assert.match(second.output.stdout, /Authorization: TOKEN/);
    assert.match(second.output.stdout, /flagstone token create/);
    assert.equal((await second.get("/events", first.token)).status, 200, "the first token still works");
    await second.stop();
    assert.equal(linesOf(data).filter((line) => line.kind === "token").length, 1);
  });

  test("the printed link signs the first user in; there is none if the operator gave a secret", async (t) => {
    const { output, stop } = await serveHere(t, ["serve", "--data", newFile(t)]);
    const [, link] = /^Open: {2}(\S+)\n {7}signs in the user admin, once/m.exec(output.stdout)!;
    const reply = await fetch(link!, { redirect: "manual" });
    assert.deepEqual([reply.status, reply.headers.get("location")], [302, "/"]);
    await stop();
    const env = { FLAGSTONE_ADMIN_TOKEN: SECRET };
    const other = await serveHere(t, ["serve", "--data", newFile(t)], { env });
    assert.ok(!other.output.stdout.includes("/auth/link/"));
    await other.stop();
  });

  test("--open passes the link to the desktop's browser", {
    skip: process.platform !== "linux",
  }, async (t) => {
    const folder = temporaryFolder(t);
    const told = path.join(folder, "told");
    fs.writeFileSync(
      path.join(folder, "xdg-open"),
      `#!/bin/sh\nprintf %s "$1" > ${told}.new; mv ${told}.new ${told}\n`,
      {
        mode: 0o755,
      },
    );
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const args = ["serve", "--data", newFile(t), "--open", "--quiet"];
    const { output, stop } = await serveHere(t, args, { env });
    const [, link] = /^Open: {2}(\S+)$/m.exec(output.stdout)!;
    await until(() => fs.existsSync(told));
    assert.equal(fs.readFileSync(told, "utf8"), link);
    await stop();
  });

  test("a browser that can't be opened causes a warning", {
    skip: process.platform !== "linux",
  }, async (t) => {
    const env = { PATH: temporaryFolder(t) };
    const { until, stop } = await serveHere(t, ["demo", "--open"], { env });
    await until("the warning", ({ stderr }) =>
      stderr.includes("could not open a browser: xdg-open can't be run"),
    );
    assert.equal((await stop()).code, 0);
  });

  test("the secret is not in the file, the log, the events or an export", async (t) => {
    const data = newFile(t);
    const { token, get, stop } = await serveHere(t, ["serve", "--data", data, "--log-format", "json"]);
    const secret = token!.slice("user:".length);
    assert.ok(!(await (await get("/events")).text()).includes(secret));
    await get("/nowhere");
    await get("/events", `Bearer ${token}x`);
    const { stderr } = await stop();
    assert.ok(!stderr.includes(secret));
    assert.ok(!contentOf(data).includes(secret));
    assert.ok(!fs.readFileSync(data).includes(secret));
  });

  test("the operator's secret is accepted, hashed, and neither printed nor logged", async (t) => {
    const data = newFile(t);
    const env = { FLAGSTONE_ADMIN_TOKEN: SECRET };
    const { get, output, stop } = await serveHere(t, ["serve", "--data", data], { env });
    assert.equal((await get("/user-admin/1", SECRET)).status, 200);
    const [, command] = /^Open: {2}flagstone (user link admin .*)$/m.exec(output.stdout)!;
    const link = (await runHere(command!.split(" "))).stdout.trimEnd();
    assert.equal((await fetch(link, { redirect: "manual" })).status, 302, "it signs in");
    const { stdout, stderr } = await stop();
    assert.match(stdout, /^Token: the one in FLAGSTONE_ADMIN_TOKEN\n {7}of the user admin$/m);
    assert.match(stdout, /^Try: {3}curl -H "Authorization: \$FLAGSTONE_ADMIN_TOKEN" /m);
    assert.ok(!(stdout + stderr).includes(SECRET));
    assert.ok(!fs.readFileSync(data).includes(SECRET));
  });

  test("service tokens are created as scripts for the original expect, and recorded", async (t) => {
    const data = newFile(t);
    const env = { INIT_ADMIN_API_TOKENS: " *:*.unleash-one , *:*.an.other-one,*:*.unleash-one," };
    const { get, stop, token } = await serveHere(t, ["serve", "--data", data], { env });
    for (const secret of ["*:*.unleash-one", "*:*.an.other-one", token!]) {
      assert.equal((await get("/user-admin/1", secret)).status, 200);
    }
    const { stdout, stderr } = await stop();
    assert.ok(!(stdout + stderr + fs.readFileSync(data)).includes("an.other-one"));
    const lines = linesOf(data);
    assert.deepEqual(
      lines.filter(({ kind }) => kind === "token").map(({ type, name }) => [type, name]),
      [
        ["admin", "admin"],
        ["admin", "admin"],
        ["user", "first start"],
      ],
    );
    assert.equal(lines.filter(({ type }) => type === "api-token-created").length, 2);
  });

  test("--readable-token-secrets shows the secrets of tokens, also of the first start; without it, they are forgotten", async (t) => {
    const data = newFile(t);
    const env = { INIT_CLIENT_API_TOKENS: "*:development.some-secret", FLAGSTONE_ADMIN_TOKEN: SECRET };
    for (const [options, shown] of [
      [["--readable-token-secrets"], "*:development.some-secret"],
      [["--readable-token-secrets"], "*:development.some-secret"],
      [[], "*:development.*****-1"],
      [["--readable-token-secrets"], "*:development.*****-1"],
    ] as const) {
      const { get, stop } = await serveHere(t, ["serve", "--data", data, ...options], { env });
      const { tokens } = (await (await get("/api-tokens", SECRET)).json()) as {
        tokens: Array<{ secret: string }>;
      };
      assert.deepEqual(
        tokens.map(({ secret }) => secret),
        [shown],
      );
      const { stdout, stderr } = await stop();
      assert.ok(!(stdout + stderr + fs.readFileSync(data)).includes("some-secret"));
    }
  });

  test("application tokens and the first user's password are set from the environment", async (t) => {
    const data = newFile(t);
    const env = {
      INIT_CLIENT_API_TOKENS: "*:development.some-secret, default:production.other-secret",
      INIT_BACKEND_API_TOKENS: "default:development.fourth-secret",
      INIT_FRONTEND_API_TOKENS: "default:development.third-secret",
      UNLEASH_DEFAULT_ADMIN_USERNAME: "ada",
      UNLEASH_DEFAULT_ADMIN_PASSWORD: "correct-horse",
    };
    const { get, stop, token, output, url } = await serveHere(t, ["serve", "--data", data], { env });
    assert.match(output.stdout, /^ {7}of the user ada;/m);
    const { tokens } = (await (await get("/api-tokens", token)).json()) as {
      tokens: Array<Record<string, string>>;
    };
    assert.deepEqual(
      tokens.map(({ type, project, environment, tokenName }) => [type, project, environment, tokenName]),
      [
        ["client", "*", "development", "admin"],
        ["client", "default", "production", "admin"],
        ["client", "default", "development", "admin"],
        ["frontend", "default", "development", "admin"],
      ],
    );
    const signIn = await fetch(`${url}/auth/simple/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "ada", password: "correct-horse" }),
    });
    assert.equal(signIn.status, 200);
    const { stdout, stderr } = await stop();
    assert.ok(!(stdout + stderr + fs.readFileSync(data)).includes("correct-horse"));
    const made = () =>
      linesOf(data).map(({ kind, type, name, username, hash, passwordHash }) => ({
        kind,
        type,
        name,
        username,
        hash,
        passwordHash,
      }));
    const before = made();
    const again = await serveHere(t, ["serve", "--data", data], { env });
    assert.equal((await again.get("/api-tokens", token)).status, 200);
    assert.equal(again.token, undefined);
    await again.stop();
    assert.deepEqual(made(), before, "a second start with the same environment changes nothing");
  });

  test("a token for an unknown environment stops the start, and leaves no file", async (t) => {
    const data = newFile(t);
    const env = { INIT_CLIENT_API_TOKENS: "default:moon.some-secret" };
    const outcome = await runHere(["serve", "--data", data, "--port", "0"], { env });
    assertRefused(outcome, 2, "INIT_CLIENT_API_TOKENS: there is no environment moon", " serve");
    assert.ok(!fs.existsSync(data));
  });

  test("a secret given for two tokens is refused", async () => {
    const secret = "*:*.given-for-two-tokens";
    const env = { FLAGSTONE_ADMIN_TOKEN: secret, INIT_ADMIN_API_TOKENS: secret };
    const message = "INIT_ADMIN_API_TOKENS: has the same secret as FLAGSTONE_ADMIN_TOKEN";
    assertRefused(await runHere(["serve"], { env }), 2, message, " serve");
  });

  test("the operator's secret is read from a file, without the line ending", async (t) => {
    const data = newFile(t);
    const file = path.join(path.dirname(data), "secret");
    fs.writeFileSync(file, `${SECRET}\n`);
    const env = { FLAGSTONE_ADMIN_TOKEN_FILE: file };
    const { get, output } = await serveHere(t, ["serve", "--data", data], { env });
    assert.equal((await get("/events", SECRET)).status, 200);
    assert.match(output.stdout, /^Token: the one in the file that FLAGSTONE_ADMIN_TOKEN_FILE names$/m);
  });

  test("the operator's secret does not affect an existing file", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const before = contentOf(data);
    const env = { FLAGSTONE_ADMIN_TOKEN: SECRET, INIT_ADMIN_API_TOKENS: "*:*.some-secret" };
    const { get, stop, token } = await serveHere(t, ["serve", "--data", data], { env });
    assert.equal(token, undefined);
    assert.equal((await get("/events", SECRET)).status, 401);
    assert.equal((await get("/events", "*:*.some-secret")).status, 401);
    assert.equal((await get("/events", personal(1))).status, 200);
    const { stderr } = await stop();
    for (const variable of Object.keys(env))
      assert.match(stderr, new RegExp(`info  ${variable} is ignored: `));
    assert.equal(contentOf(data), before);
  });

  for (const [name, variable, value, message] of [
    [
      "containing a space",
      "FLAGSTONE_ADMIN_TOKEN",
      "a b",
      /^flagstone: FLAGSTONE_ADMIN_TOKEN: must be 16 to 500/,
    ],
    ["that is too easy to guess", "FLAGSTONE_ADMIN_TOKEN", "xxx0123456789ab", /: must be 16 to 500/],
    [
      "for a service token of the wrong form",
      "INIT_ADMIN_API_TOKENS",
      "*:*.xxx,xxx",
      /^flagstone: INIT_ADMIN_API_TOKENS: /,
    ],
    [
      "of an SDK token",
      "INIT_ADMIN_API_TOKENS",
      "default:development.xxx",
      /must be one or more of \*:\*\.SECRET/,
    ],
    ["without anything", "INIT_ADMIN_API_TOKENS", "*:*.", /must be one or more of/],
    [
      "for a service token, too easy to guess",
      "INIT_ADMIN_API_TOKENS",
      "*:*.xxxxxxxxxx,*:*.xxxxxxxxx",
      /^flagstone: INIT_ADMIN_API_TOKENS: each needs 10 characters or more after \*:\*\.\n/,
    ],
    [
      "for an application in all environments",
      "INIT_CLIENT_API_TOKENS",
      "default:*.some-xxx-secret",
      /^flagstone: INIT_CLIENT_API_TOKENS: must be one or more of PROJECT:ENVIRONMENT\.SECRET/,
    ],
    [
      "for an application, too easy to guess",
      "INIT_FRONTEND_API_TOKENS",
      "default:development.xxx",
      /^flagstone: INIT_FRONTEND_API_TOKENS: each needs 10 characters or more/,
    ],
    [
      "for an Edge, too short",
      "EDGE_CLIENT_SECRET",
      "c2hvcnQ",
      /^flagstone: EDGE_CLIENT_SECRET: must be 16 bytes or more in base64url/,
    ],
    [
      "that is a short password",
      "UNLEASH_DEFAULT_ADMIN_PASSWORD",
      "xxx",
      /^flagstone: UNLEASH_DEFAULT_ADMIN_PASSWORD: must be 10 to 128 characters/,
    ],
    [
      "that is too long",
      "FLAGSTONE_ADMIN_TOKEN",
      "x".repeat(501),
      /^flagstone: FLAGSTONE_ADMIN_TOKEN: must be/,
    ],
    [
      "whose file is missing",
      "FLAGSTONE_ADMIN_TOKEN_FILE",
      "missing",
      /^flagstone: FLAGSTONE_ADMIN_TOKEN_FILE: the file \S+missing can't be read/,
    ],
    [
      "whose file has two lines",
      "FLAGSTONE_ADMIN_TOKEN_FILE",
      "two",
      /^flagstone: FLAGSTONE_ADMIN_TOKEN_FILE: /,
    ],
    [
      "whose file is empty",
      "FLAGSTONE_ADMIN_TOKEN_FILE",
      "empty",
      /^flagstone: FLAGSTONE_ADMIN_TOKEN_FILE: /,
    ],
  ] as const) {
    test(`a secret ${name} is refused before a file is created, and is not shown`, async (t) => {
      const folder = temporaryFolder(t);
      fs.writeFileSync(path.join(folder, "two"), "one-secret\nanother-secret\n");
      fs.writeFileSync(path.join(folder, "empty"), "\n");
      const env = { [variable]: variable.endsWith("_FILE") ? path.join(folder, value) : value };
      const args = ["serve", "--data", path.join(folder, "flags.db"), "--port", "0"];
      const { code, stdout, stderr } = await runHere(args, { env });
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, message);
      assert.match(stderr, /\nTry: flagstone help serve\n$/);
      assert.doesNotMatch(stderr, /a b|xxx|secret\b.*another/);
      assert.deepEqual(fs.readdirSync(folder), ["empty", "two"]);
    });
  }

  test("quiet prints only the address and the token", async (t) => {
    const { output, url, token, stop } = await serveHere(t, ["serve", "--quiet", "--data", newFile(t)]);
    assert.match(output.stdout, /^URL: /m);
    assert.doesNotMatch(output.stdout, /curl/);
    assert.equal(
      (await fetch(`${url}/api/admin/events`, { headers: { authorization: token! } })).status,
      200,
    );
    assert.equal((await stop()).stderr, "");
  });
});

describe("serving", { concurrency: 3 }, () => {
  test("port 0 takes a free port, on this machine only", async (t) => {
    const [one, other] = await Promise.all([
      serveHere(t, ["serve", "--data", newFile(t)]),
      serveHere(t, ["serve", "--data", newFile(t)]),
    ]);
    assert.match(one.url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    assert.notEqual(one.url, other.url);
    assert.equal((await one.get("/events")).status, 200);
    assert.equal((await other.get("/events", one.token)).status, 401);
  });

  test("a port in use is refused, and nothing stays open", async (t) => {
    const taken = net.createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    t.after(() => taken.close());
    const { port } = taken.address() as net.AddressInfo;
    const data = newFile(t);
    fs.writeFileSync(data, ""); // like after a killed first start
    assertRefused(
      await runHere(["serve", "--port", String(port), "--data", data]),
      4,
      `Port ${port} on 127.0.0.1 is in use: choose another with --port, or 0 for any free one`,
    );
    assert.deepEqual(filesBeside(data), [], "nothing is created");
    const next = await serveHere(t, ["serve", "--data", data]);
    assert.ok(next.token, "the first start has not happened yet");
  });

  test("an address of another machine is refused as such", async (t) => {
    const data = newFile(t);
    const other = await runHere(["serve", "--host", "192.0.2.1", "--data", data]);
    const noAddress = "flagstone: 192.0.2.1 is not an address of this machine: choose another with --host\n";
    assert.deepEqual([other.code, other.stderr], [1, noAddress]);
    assert.deepEqual(filesBeside(data), []);
  });

  test("an unknown host is refused as such", async (t) => {
    const result = await runHere(["serve", "--host", "nowhere.invalid", "--data", newFile(t)]);
    assertRefused(result, 2, "--host: no address is known for nowhere.invalid", " serve");
  });

  test("a new file is readable only by its owner", { skip: process.platform === "win32" }, async (t) => {
    const data = newFile(t);
    await (await serveHere(t, ["serve", "--data", data])).stop();
    assert.equal(fs.statSync(data).mode & 0o777, 0o600);
  });

  test("a file that others can read is named", { skip: process.platform === "win32" }, async (t) => {
    const data = await dataFile(t, createWorld().lines);
    fs.chmodSync(data, 0o644);
    const warning = `other users of this machine can read ${data}: chmod 600 ${data}`;
    const server = await serveHere(t, ["serve", "--data", data]);
    assert.ok((await server.stop()).stderr.includes(warning));
    assert.match((await runHere(["doctor", "--data", data])).stdout, /^WARN {3}readers: other users/m);
  });

  for (const [name, make, message] of [
    [
      "text",
      (file: string) => fs.writeFileSync(file, "text"),
      "is not a database: name another file with --data",
    ],
    ["a folder", (file: string) => fs.mkdirSync(file), "is a folder: name a file with --data"],
  ] as const) {
    test(`a data file that is ${name} is refused`, async (t) => {
      const data = newFile(t);
      make(data);
      assertRefused(await runHere(["serve", "--data", data]), 3, `${data} ${message}`);
    });
  }

  for (const [signal, keepAlive] of [
    ["SIGTERM", false],
    ["SIGINT", true],
    ["SIGHUP", true],
  ] as const) {
    const connection = keepAlive ? "a connection that the client would keep" : "a connection for it alone";
    test(`${signal}: a request in flight on ${connection} is completed, and no new one accepted`, async (t) => {
      const data = newFile(t);
      const { url, token, child, until, ended } = await startServer(t, ["serve", "--data", data]);
      const agent = new http.Agent({ keepAlive });
      t.after(() => agent.destroy());
      const body = '{"limit":1}';
      const request = http.request(`${url}/api/admin/events/search`, {
        agent,
        method: "POST",
        headers: {
          authorization: token!,
          "content-type": "application/json",
          "content-length": body.length,
          expect: "100-continue",
        },
      });
      request.flushHeaders();
      await once(request, "continue"); // the server has read the headers and is waiting for the body
      child.kill(signal);
      await until("it stops", ({ stderr }) => stderr.includes(`stopping on ${signal}`));
      await untilRefused(Number(new URL(url).port));
      request.end(body);
      const [response] = (await once(request, "response")) as [http.IncomingMessage];
      const chunks = await response.toArray();
      assert.equal(response.statusCode, 200);
      assert.equal(JSON.parse(Buffer.concat(chunks).toString()).events.length, 1);
      assert.equal((await ended).code, 0);
      assert.deepEqual(filesBeside(data), ["flags.db"], "the file is complete");
    });
  }

  test("an open keep-alive connection does not delay the stop", async (t) => {
    const data = newFile(t);
    const { url, stop } = await serveHere(t, ["serve", "--data", data]);
    const socket = await connect(Number(new URL(url).port));
    t.after(() => socket.destroy());
    socket.write("GET /api/admin/events HTTP/1.1\r\nhost: x\r\n\r\n");
    await once(socket, "data");
    assert.equal((await stop()).code, 0);
    assert.deepEqual(filesBeside(data), ["flags.db"]);
  });

  test("the next request sees what another process has imported", async (t) => {
    const data = await dataFile(t, createWorld().project("a").lines);
    const { get } = await startServer(t, ["serve", "--data", data]);
    const total = async () => {
      const reply = await get("/events", personal(1));
      return ((await reply.json()) as { totalEvents: number }).totalEvents;
    };
    assert.equal(await total(), 0);
    const more = createWorld().event().event().lines.slice(-2);
    const imported = await runHere(["import", "-", "--data", data], { input: toText([HEADER, ...more]) });
    assert.equal(imported.code, 0, imported.stderr);
    assert.equal(await total(), 2);
    const refused = await runHere(["import", "-", "--data", data], { input: toText([HEADER, ...more]) });
    assert.equal(refused.code, 3);
    assert.equal(await total(), 2);
  });

  test("every request sees earlier changes by another process, however busy the server is", async (t) => {
    const data = await dataFile(t, createWorld().project("p").lines);
    const { get, stop } = await startServer(t, ["serve", "--data", data]);
    const writer = open(data);
    t.after(() => close(writer));
    const rename = writer.prepare("UPDATE users SET name = ? WHERE id = 3");
    const asking = new AbortController();
    const crowd = Array.from({ length: 16 }, async () => {
      while (!asking.signal.aborted) await (await get("/events", personal(1))).text();
    });
    for (let count = 0; count < 300; count++) {
      const name = `name ${count}`;
      rename.run(name);
      const user = await get("/user-admin/3", personal(1)).then((response) => response.json());
      assert.equal((user as { name: string }).name, name);
    }
    asking.abort();
    await Promise.all(crowd);
    await stop();
  });

  test("a token that another process creates or revokes takes effect with the next request", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const { get } = await startServer(t, ["serve", "--data", data]);
    assert.equal((await get("/events", personal(1))).status, 200);
    const created = await runHere(["token", "create", "new", "--user", "admin", "--data", data]);
    assert.equal((await get("/events", created.stdout.trim())).status, 200);
    assert.equal((await runHere(["token", "revoke", "1", "--data", data])).code, 0);
    assert.equal((await get("/events", personal(1))).status, 401);
    assert.equal((await get("/events", created.stdout.trim())).status, 200);
  });

  test("the JSON log has one object per line, with the id that the error response had", async (t) => {
    const { get, stop } = await serveHere(t, ["serve", "--log-format", "json", "--data", newFile(t)]);
    const reply = await get("/user-admin/99?secret=query");
    const { id } = (await reply.json()) as { id: string };
    const { stderr } = await stop();
    const lines = stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const line = lines.find((candidate) => candidate.id === id);
    assert.deepEqual([line?.level, line?.status, line?.path], ["info", 404, "/api/admin/user-admin/99"]);
    assert.ok(!stderr.includes("secret=query"));
  });
});

/** Retries the connection, since the log line comes slightly before the port is free. */
async function untilRefused(port: number) {
  const deadline = Date.now() + 3000;
  while (!(await isRefused(port))) assert.ok(Date.now() < deadline, "new connections are refused");
}

async function isRefused(port: number) {
  try {
    (await connect(port)).destroy();
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ECONNREFUSED";
  }
}

async function connect(port: number): Promise<net.Socket> {
  const socket = net.connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}
