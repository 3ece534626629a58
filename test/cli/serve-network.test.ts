import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import https from "node:https";
import net from "node:net";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { assertRefused, runHere, serveHere, temporaryFolder } from "./run-cli.ts";

/** A self-signed certificate and its key; by default, for a name that no server here has. */
function certificate(t: TestContext, name = "flags.example") {
  const folder = temporaryFolder(t);
  const [cert, key] = [path.join(folder, "cert.pem"), path.join(folder, "key.pem")];
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  const making = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  execFileSync("openssl", [...making, ...subject, "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { cert, key, flags: ["--tls-cert", cert, "--tls-key", key] };
}

const newFile = (t: TestContext) => path.join(temporaryFolder(t), "flags.db");

/** A request that trusts this certificate, for the name in it. */
const securely = (url: string, cert: string, authorization: string) =>
  new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const options = { ca: fs.readFileSync(cert), servername: "flags.example", headers: { authorization } };
    https
      .get(url, options, async (response) => {
        let body = "";
        for await (const chunk of response) body += chunk;
        resolve({ status: response.statusCode, body });
      })
      .on("error", reject);
  });

describe("HTTPS", { concurrency: 3 }, () => {
  test("the given certificate is presented, and plain HTTP gets no response", async (t) => {
    const { cert, flags } = certificate(t);
    const { url, token, stop, output } = await serveHere(t, ["serve", "--data", newFile(t), ...flags]);
    assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/);
    const { status, body } = await securely(`${url}/api/admin/events`, cert, token!);
    assert.equal(status, 200);
    assert.equal(JSON.parse(body).events.length, 3, "those of the first start");
    await assert.rejects(fetch(url.replace("https", "http")));
    assert.equal(output.code, null, "it keeps serving");
    assert.equal((await stop()).code, 0);
  });

  test("a connection that never negotiates TLS ends with the server", async (t) => {
    const { flags } = certificate(t);
    const { url, stop } = await serveHere(t, ["serve", "--data", newFile(t), ...flags]);
    const socket = net.connect(Number(new URL(url).port), "127.0.0.1");
    await once(socket, "connect");
    assert.equal((await stop()).code, 0);
  });

  test("health trusts the server's own certificate only if it is given", async (t) => {
    const { cert, flags } = certificate(t);
    const { url } = await serveHere(t, ["serve", "--data", newFile(t), ...flags]);
    const port = new URL(url).port;
    const { code, stdout } = await runHere(["health", "--port", port, "--tls-cert", cert]);
    assert.deepEqual([code, stdout], [0, "ready\n"]);
    const other = await runHere(["health", "--port", port, "--tls-cert", certificate(t).cert]);
    assert.equal(other.code, 1);
    assert.match(other.stderr, /does not respond: its certificate is not trusted: pass it with --ca FILE\n/);
    assert.equal((await runHere(["health", url])).code, 1, "the system does not trust it");
  });

  test("health trusts a given certificate authority, for the right name only", async (t) => {
    const { cert, flags } = certificate(t, "localhost");
    const { url } = await serveHere(t, ["serve", "--data", newFile(t), ...flags]);
    const named = url.replace("127.0.0.1", "localhost");
    const { code, stdout, stderr } = await runHere(["health", named, "--ca", cert]);
    assert.deepEqual([code, stdout, stderr], [0, "ready\n", ""]);
    const byAddress = await runHere(["health", url, "--ca", cert]);
    assert.equal(byAddress.code, 1);
    assert.match(byAddress.stderr, /does not respond: .*127\.0\.0\.1/);
    const key = flags.at(-1)!;
    const refused = await runHere(["health", named, "--ca", key]);
    assertRefused(refused, 2, `--ca: ${key} is not a certificate in PEM`, " health");
  });

  test("an incomplete, mismatched or missing pair is refused before a file is created", async (t) => {
    const { cert, key } = certificate(t);
    const other = certificate(t);
    const data = newFile(t);
    const refused = async (flags: string[], message: string) =>
      assertRefused(await runHere(["serve", "--data", data, ...flags]), 2, message, " serve");
    await refused(["--tls-cert", cert], "--tls-cert and --tls-key go together: give both");
    await refused(["--tls-key", key], "--tls-cert and --tls-key go together: give both");
    const wrong = (a: string, b: string) =>
      `--tls-cert and --tls-key: ${a} and ${b} are not a certificate and its key in PEM`;
    await refused(["--tls-cert", cert, "--tls-key", other.key], wrong(cert, other.key));
    await refused(["--tls-cert", key, "--tls-key", cert], wrong(key, cert));
    const none = path.join(path.dirname(cert), "none.pem");
    await refused(["--tls-cert", none, "--tls-key", key], `--tls-cert: the file ${none} can't be read`);
    assert.ok(!fs.existsSync(data));
  });
});

describe("a base path", { concurrency: 3 }, () => {
  for (const [publicUrl, isWarned] of [
    ["https://flags.example", true],
    ["https://flags.example/myflags", true],
    ["https://flags.example/flags/", false],
  ] as const) {
    test(`with the public URL ${publicUrl} there is ${isWarned ? "a" : "no"} warning`, async () => {
      const args = ["demo", "--port", "0", "--base-path", "/flags", "--public-url", publicUrl];
      const { code, stderr } = await runHere(args);
      assert.equal(code, 0, stderr);
      const warning = "warn  --public-url does not end with --base-path: links in responses won't work";
      assert.equal(stderr.includes(warning), isWarned);
    });
  }

  test("everything is below it, including pictures, and nothing outside", async (t) => {
    const args = ["serve", "--data", newFile(t), "--base-path", "/team/flags/"];
    const { url, token, get, output } = await serveHere(t, args);
    assert.match(url, /:\d+\/team\/flags$/);
    assert.match(output.stdout, /^Try: .*\/team\/flags\/api\/admin\/events$/m);
    const user = (await (await get("/user-admin/1")).json()) as { imageUrl: string };
    assert.match(user.imageUrl, /^\/team\/flags\/avatars\/[0-9a-f]{64}\.svg$/);
    const { origin } = new URL(url);
    assert.equal((await fetch(origin + user.imageUrl)).status, 200);
    assert.equal((await fetch(`${url}/health`)).status, 200);
    assert.equal((await fetch(`${url}/api/admin/events`)).status, 401);
    for (const beside of [
      "/api/admin/events",
      "/health",
      "/",
      "/team/flagship/health",
      "/team/Flags/health",
    ]) {
      const reply = await fetch(origin + beside, { headers: { authorization: token! } });
      assert.equal(reply.status, 404, beside);
      assert.equal(
        ((await reply.json()) as { message: string }).message,
        `There is nothing at ${beside}: everything is below /team/flags`,
      );
    }
  });

  test("health asks below it", async (t) => {
    const settings = { FLAGSTONE_BASE_PATH: "/x" };
    const { url } = await serveHere(t, ["serve", "--data", newFile(t)], { env: settings });
    const { port } = new URL(url);
    assert.equal((await runHere(["health", "--port", port], { env: settings })).code, 0);
    assert.equal((await runHere(["health", url])).code, 0);
    const { code, stderr } = await runHere(["health", "--port", port]);
    assert.equal(code, 1);
    assert.match(stderr, /is not ready: it responded with 404/);
  });
});

describe("the client's address", { concurrency: 2 }, () => {
  const addressLogged = async (t: TestContext, flags: string[], forwarded: string) => {
    const args = ["serve", "--data", newFile(t), "--log-format", "json", ...flags];
    const { url, stop } = await serveHere(t, args);
    await fetch(`${url}/nowhere`, { headers: { "x-forwarded-for": forwarded } });
    const { stderr } = await stop();
    const lines = stderr.trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line)).find(({ status }) => status === 404).address;
  };

  test("is the other end of the connection", async (t) => {
    assert.equal(await addressLogged(t, [], "192.0.2.1"), "127.0.0.1");
  });

  test("is the last entry that a trusted proxy added, not the client's own", async (t) => {
    assert.equal(await addressLogged(t, ["--trust-proxy"], "192.0.2.1, 2001:db8::7"), "2001:db8::7");
  });

  test("is the proxy's if it added none", async (t) => {
    assert.equal(await addressLogged(t, ["--trust-proxy"], "192.0.2.1, <script>"), "127.0.0.1");
  });
});

describe("the access log", { concurrency: 2 }, () => {
  const requestsLogged = async (t: TestContext, ...flags: string[]) => {
    const args = ["serve", "--data", newFile(t), "--log-format", "json", "--trust-proxy", ...flags];
    const { url, get, stop } = await serveHere(t, args);
    await get("/events?project=secret");
    await get("/events?project=secret"); // a cached response counts too
    await fetch(`${url}/health`, { method: "HEAD", headers: { "x-forwarded-for": "192.0.2.7" } });
    const { stderr } = await stop();
    assert.ok(!stderr.includes("project=secret"));
    const lines = stderr.trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line)).filter(({ message }) => message === "request");
  };

  test("has a line for each request, if enabled", async (t) => {
    const lines = await requestsLogged(t, "--access-log");
    assert.deepEqual(
      lines.map(({ method, path, status, address }) => [method, path, status, address]),
      [
        ["GET", "/api/admin/events", 200, "127.0.0.1"],
        ["GET", "/api/admin/events", 200, "127.0.0.1"],
        ["HEAD", "/health", 200, "192.0.2.7"],
      ],
    );
    assert.ok(lines.every(({ ms }) => typeof ms === "number"));
    assert.deepEqual(await requestsLogged(t), []);
  });
});

describe("Prometheus metrics", { concurrency: 2 }, () => {
  const PATH = "/internal-backstage/prometheus";
  const figure = (text: string, name: string) =>
    Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length),
    );

  test("count requests by operation and status, and describe the file", async (t) => {
    const args = ["serve", "--data", newFile(t), "--metrics", "--base-path", "/x"];
    const { url, get } = await serveHere(t, args);
    await get("/events");
    await get("/events?project=a");
    await get("/events", "wrong");
    await get("/personal-dashboard/secret-name");
    await fetch(`${url}/nowhere`);
    const reply = await fetch(url + PATH);
    assert.match(reply.headers.get("content-type")!, /^text\/plain; version=/);
    const text = await reply.text();
    const count = (operation: string, status: number) =>
      figure(
        text,
        `flagstone_http_request_duration_seconds_count{operation="${operation}",status="${status}"}`,
      );
    assert.equal(count("GET /api/admin/events", 200), 2);
    assert.equal(count("GET /api/admin/events", 401), 1);
    assert.equal(count("GET /api/admin/personal-dashboard/:projectId", 404), 1);
    assert.equal(count("other", 404), 1);
    assert.equal(figure(text, "flagstone_events"), 3);
    assert.ok(figure(text, "flagstone_database_bytes") > 4096);
    assert.ok(figure(text, "process_resident_memory_bytes") > 1e6);
    assert.ok(!text.includes("secret-name"), "names in requests are not exposed");
  });

  test("count open streams, which do not delay a stop", async (t) => {
    const { url, token, stop } = await serveHere(t, ["serve", "--data", newFile(t), "--metrics"]);
    const stream = "/api/admin/events/stream";
    const { body } = await fetch(url + stream, { headers: { authorization: token! } });
    const reader = body!.getReader();
    assert.match(Buffer.from((await reader.read()).value!).toString(), /^retry: \d{4}\nid: \d+\n\n$/);
    const text = await (await fetch(url + PATH)).text();
    assert.equal(figure(text, `flagstone_streams{operation="GET ${stream}"}`), 1);
    assert.equal((await stop()).code, 0);
    assert.equal((await reader.read()).done, true, "a stream cut off after waiting would be an error");
  });

  test("are off by default", async (t) => {
    const { url } = await serveHere(t, ["serve", "--data", newFile(t)]);
    assert.equal((await fetch(url + PATH)).status, 404);
  });
});
