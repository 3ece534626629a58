import assert from "node:assert/strict";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { test } from "node:test";
import { createFewAtOnce } from "../../src/http/few-at-once.ts";
import { listen } from "../../src/http/node-server.ts";
import { nextTurn } from "../../src/lib/background.ts";
import { createServer } from "../../src/server/app.ts";
import { createMetrics } from "../../src/server/metrics.ts";
import { until } from "../support/receiver.ts";
import { openServer } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";
import { connect, LOCAL, openListening } from "./raw-http.ts";

/** Enters as each caller in turn. @returns which have begun, and a function that closes one's response */
function entered(callers: string) {
  const fewAtOnce = createFewAtOnce();
  const begun: number[] = [];
  const responses = [...callers].map((caller, index) => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    fewAtOnce(caller, response).then(() => begun.push(index));
    return response;
  });
  return {
    fewAtOnce,
    hasBegun: async (...expected: number[]) => {
      await nextTurn();
      await nextTurn();
      assert.deepEqual(begun, expected);
    },
    close: (index: number) => responses[index]!.destroy(),
  };
}

test("one per caller and four of all begin, the others in order as these are closed", async () => {
  const { hasBegun, close } = entered("aabcdef");
  await hasBegun(0, 2, 3, 4);
  close(2);
  await hasBegun(0, 2, 3, 4, 5);
  close(0);
  await hasBegun(0, 2, 3, 4, 5, 1);
  close(5);
  await hasBegun(0, 2, 3, 4, 5, 1, 6);
});

test("one that leaves while it waits is forgotten", async () => {
  const { hasBegun, close } = entered("aaa");
  close(1);
  close(0);
  await hasBegun(2);
});

for (const [name, callers] of [
  ["ten of a caller", "a".repeat(11)],
  ["fifty of all", `${"abcd".repeat(10)}${"efgh".repeat(4)}`.slice(0, 54)],
] as const)
  test(`beyond ${name}, nobody waits`, async () => {
    const { fewAtOnce } = entered(callers);
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    assert.throws(() => fewAtOnce("a", response), {
      name: "RateLimitError",
      headers: { "retry-after": "1" },
    });
  });

/** 15,000 contexts, whose answer exceeds all buffers. */
const body = JSON.stringify({
  environments: ["development"],
  context: { appName: "x", userId: Array.from({ length: 15_000 }, (_, index) => index).join() },
});
const LONG = [
  "POST /api/admin/playground/advanced HTTP/1.1",
  "host: localhost",
  `authorization: ${personal(3)}`,
  "content-type: application/json",
  `content-length: ${body.length}`,
  "",
  body,
].join("\r\n");

test("a caller who doesn't read the playground's answers waits, and others don't", async (t) => {
  const world = createWorld().project("a").feature("f", "a");
  const { listening, requireUnharmed } = await openListening(t, world);
  const statuses: Array<number | undefined> = [];
  const ask = () => {
    const client = connect(listening.url);
    t.after(() => client.socket.destroy());
    client.send(LONG);
    void client.reply({ hasBody: false }).then((reply) => {
      client.socket.pause();
      statuses.push(reply?.status);
      if (reply?.status === 429) assert.equal(reply.headers.get("retry-after"), "1");
    });
    return client.socket;
  };
  const first = ask();
  await until(() => statuses.length === 1, "the first reply");
  for (let more = 0; more < 20; more++) ask();
  await until(() => statuses.length === 11, "refusals");
  assert.deepEqual(statuses, [200, ...Array(10).fill(429)]);
  const reply = await fetch(`${listening.url}/api/admin/playground`, {
    method: "POST",
    headers: { authorization: personal(1), "content-type": "application/json" },
    body: '{"environment":"development","context":{"appName":"x"}}',
  });
  assert.equal(reply.status, 200, "another caller");
  first.destroy();
  await until(() => statuses.length === 12, "the next reply");
  assert.equal(statuses.at(-1), 200);
  await requireUnharmed();
});

test("a long answer that is measured and logged brings no warning about listeners", async (t) => {
  const { db } = await openServer(t, createWorld().project("a").feature("f", "a"));
  const metrics = createMetrics({ db, basePath: "", operations: [] });
  const { listener } = createServer({ db, log: () => {}, metrics, logsAccess: true });
  const { url, close } = await listen(listener, LOCAL);
  t.after(close);
  const warn = t.mock.method(process, "emitWarning", () => {});
  const headers = { authorization: personal(1), "content-type": "application/json" };
  const reply = await fetch(`${url}/api/admin/playground/advanced`, { method: "POST", headers, body });
  assert.ok((await reply.text()).length > 1_000_000);
  assert.deepEqual(
    warn.mock.calls.map((call) => String(call.arguments[0])),
    [],
  );
});
