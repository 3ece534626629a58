import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import zlib from "node:zlib";
import { loadUi } from "#ui";
import { createServer } from "../../src/server/app.ts";
import type { ServerOptions } from "../../src/server/options.ts";
import { empty } from "../transfer/importing.ts";

/** The headers of a browser navigating to an address. */
const OPENED = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

function serve(t: TestContext, options: Partial<ServerOptions> = {}) {
  const db = empty(t);
  return createServer({ db, log: () => {}, ui: loadUi, ...options }).app;
}

test("a browser gets the page at any view's address, a program gets the API's response", async (t) => {
  const app = serve(t);
  for (const path of ["/", "/projects", "/projects/a/features/b.c", "/nothing/here", "/doc"]) {
    const response = await app.request(path, { headers: OPENED });
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(response.headers.get("cache-control"), "no-cache");
    if (path !== "/") assert.equal((await app.request(path)).status, 404);
  }
  for (const path of [
    "/api/admin/events",
    "/api/nope",
    "/auth/nope",
    "/assets/nope.js",
    "/ofrep/v1/evaluate/flags",
  ])
    assert.notEqual((await app.request(path, { headers: OPENED })).status, 200, path);
  assert.notEqual((await app.request("/projects", { method: "POST", headers: OPENED })).status, 200);
});

test("the icon is at the browser's default address", async (t) => {
  const app = serve(t, { basePath: "/flags" });
  const response = await app.request("/flags/favicon.ico");
  assert.equal(response.status, 302);
  const icon = await app.request(response.headers.get("location")!);
  assert.equal(icon.headers.get("content-type"), "image/svg+xml");
});

test("the page may contact only its server, has no inline scripts, and can't be framed", async (t) => {
  const response = await serve(t).request("/", { headers: OPENED });
  const policy = response.headers.get("content-security-policy")!.split("; ");
  for (const part of [
    "default-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'self'",
    "form-action 'self'",
  ])
    assert.ok(policy.includes(part), part);
  assert.doesNotMatch(policy.join(), /unsafe|https?:|\*/);
  const html = await response.text();
  assert.doesNotMatch(html, /<style|style=|<script(?! type="module" src="assets\/)|https?:/);
});

test("its files are compressed, immutable, and named by their content", async (t) => {
  const app = serve(t);
  const html = await (await app.request("/", { headers: OPENED })).text();
  const names = [...html.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, name]) => name!);
  assert.ok(names.length > 3, String(names));
  for (const name of names) {
    assert.match(name, /-[0-9A-Za-z]{8}\.(js|css|svg)$/);
    const plain = await app.request(`/${name}`);
    assert.equal(plain.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.equal(plain.headers.get("x-content-type-options"), "nosniff");
    const text = await plain.text();
    for (const [encoding, decode] of [
      ["br", zlib.brotliDecompressSync],
      ["gzip", zlib.gunzipSync],
    ] as const) {
      const packed = await app.request(`/${name}`, { headers: { "accept-encoding": encoding } });
      assert.equal(packed.headers.get("content-encoding"), encoding);
      assert.equal(packed.headers.get("vary"), "accept-encoding");
      assert.equal(decode(Buffer.from(await packed.arrayBuffer())).toString(), text);
    }
  }
});

test("below a base path, and behind a public URL", async (t) => {
  for (const options of [
    { basePath: "/flags" },
    { basePath: "/flags", publicUrl: "https://flags.example/flags" },
  ]) {
    const app = serve(t, options);
    const html = await (await app.request("/flags/projects", { headers: OPENED })).text();
    assert.match(html, /<base href="\/flags\/">/);
    const [, script = ""] = /src="([^"]+)"/.exec(html)!;
    assert.equal((await app.request(`/flags/${script}`)).status, 200);
  }
});

test("the page has an ETag", async (t) => {
  const app = serve(t);
  const { headers } = await app.request("/", { headers: OPENED });
  const again = await app.request("/", { headers: { ...OPENED, "if-none-match": headers.get("etag")! } });
  assert.equal(again.status, 304);
});

test("without the page there is only the API", async (t) => {
  const app = serve(t, { ui: undefined });
  assert.equal((await app.request("/projects", { headers: OPENED })).status, 404);
  assert.match(await (await app.request("/", { headers: OPENED })).text(), /flagstone token create/);
});
