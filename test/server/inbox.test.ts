import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { createServer } from "../../src/server/app.ts";
import { importLines } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";

async function opened(t: TestContext, { inbox = true } = {}) {
  const db = open(IN_MEMORY);
  t.after(() => close(db));
  const { app } = createServer({ db, log: () => {}, inbox });
  await importLines(db, createWorld().lines);
  const ask = async (
    method: string,
    path: string,
    init: RequestInit = {},
    as: string | null = personal(1),
  ) => {
    const headers = { ...(as !== null && { authorization: as }), "content-type": "application/json" };
    const response = await app.request(path, { method, headers, ...init });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  return ask;
}

test("requests by anyone are listed for an Admin, newest first", async (t) => {
  const ask = await opened(t);
  assert.equal((await ask("POST", "/inbox/a", { body: "one" }, null)).status, 200);
  const headers = { authorization: "hush", "dd-api-key": "hush", "x-own": "1" };
  await ask("POST", "/inbox/a", { body: "two", headers });
  await ask("POST", "/inbox/b", { body: "other" });
  const { status, body } = await ask("GET", "/inbox/a");
  assert.equal(status, 200);
  assert.deepEqual(
    body.received.map((one: { body: string; status: number }) => [one.body, one.status]),
    [
      ["two", 200],
      ["one", 200],
    ],
  );
  assert.equal(body.received[0].headers["x-own"], "1");
  assert.doesNotMatch(JSON.stringify(body), /hush/);
});

test("it fails on request, and can be reset", async (t) => {
  const ask = await opened(t);
  assert.equal((await ask("PUT", "/inbox/a", { body: `{"status":503}` })).status, 200);
  assert.equal((await ask("POST", "/inbox/a", { body: "x" })).status, 503);
  assert.equal((await ask("POST", "/inbox/b", { body: "x" })).status, 200);
  assert.equal((await ask("PUT", "/inbox/a", { body: `{"status":200}` })).status, 200);
  assert.equal((await ask("POST", "/inbox/a", { body: "x" })).status, 200);
});

test("only an Admin can read and configure it", async (t) => {
  const ask = await opened(t);
  for (const [as, status] of [
    [null, 401],
    [personal(2), 403],
  ] as const)
    for (const method of ["GET", "PUT"])
      assert.equal(
        (await ask(method, "/inbox/a", method === "PUT" ? { body: "{}" } : {}, as)).status,
        status,
      );
});

test("an invalid status is refused", async (t) => {
  const ask = await opened(t);
  for (const body of [`{"status":100}`, `{"status":600}`, `{"status":"503"}`, "{}", "[]"])
    assert.equal((await ask("PUT", "/inbox/a", { body })).status, 400, body);
});

test("an oversized request is refused, and the oldest are dropped to make room", async (t) => {
  const ask = await opened(t);
  assert.equal((await ask("POST", "/inbox/a", { body: "x".repeat(1024 * 1024 + 1) })).status, 413);
  for (let count = 0; count < 10; count++)
    await ask("POST", "/inbox/a", { body: String(count).repeat(1024 * 1024) });
  const { body } = await ask("GET", "/inbox/a");
  const first = body.received.map((one: { body: string }) => one.body[0]);
  assert.deepEqual(first, [..."98765432"]);
});

test("it is off by default", async (t) => {
  const ask = await opened(t, { inbox: false });
  assert.equal((await ask("POST", "/inbox/a", { body: "x" })).status, 404);
});
