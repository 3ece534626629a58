import assert from "node:assert/strict";
import crypto from "node:crypto";
import { test } from "node:test";
import zlib from "node:zlib";
import { encodeOnce } from "../../src/http/encoding.ts";

const hashOf = (body: Buffer) => crypto.hash("sha1", body, "base64url");

test("the same content is compressed once per encoding, even if requested concurrently", async () => {
  const body = Buffer.from("flag ".repeat(10_000));
  const first = encodeOnce("gzip", body, hashOf(body));
  assert.equal(encodeOnce("gzip", Buffer.from(body), hashOf(body)), first);
  assert.deepEqual(zlib.gunzipSync(await first), body);
  assert.equal(encodeOnce("gzip", body, hashOf(body)), first);
  assert.deepEqual(zlib.brotliDecompressSync(await encodeOnce("br", body, hashOf(body))), body);
});

test("the entry that was compressed first is evicted first", async () => {
  const bodies = Array.from({ length: 10 }, () => crypto.randomBytes(1024 * 1024));
  const encoded: Array<ReturnType<typeof encodeOnce>> = [];
  for (const body of bodies) {
    encoded.push(encodeOnce("gzip", body, hashOf(body)));
    await encoded.at(-1);
  }
  // A failing assert would print megabytes.
  assert.ok(encodeOnce("gzip", bodies[9]!, hashOf(bodies[9]!)) === encoded[9]);
  assert.ok(encodeOnce("gzip", bodies[0]!, hashOf(bodies[0]!)) !== encoded[0]);
});

test("what is cached keeps no more memory than it needs", async () => {
  for (const encoding of ["br", "gzip"] as const) {
    const cached = await encodeOnce(encoding, "kept ".repeat(300), "kept");
    assert.equal(cached.buffer.byteLength, cached.length);
  }
});
