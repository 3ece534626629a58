import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { CLI } from "../../src/access/actor.ts";
import { write } from "../../src/events/write.ts";
import { startDispatcher } from "../../src/integrations/dispatcher.ts";
import type { LogLine } from "../../src/lib/logger.ts";
import { createClock, EVENTS, openDelivering } from "../support/delivering.ts";
import { openFile } from "../support/open-file.ts";
import { openReceiver, until } from "../support/receiver.ts";
import { importLines } from "../support/server.ts";
import { createWorld } from "../support/world.ts";

type Receiver = Awaited<ReturnType<typeof openReceiver>>;

/** A server with a webhook to the receiver, and a clock that stands still. */
async function delivering(t: Parameters<typeof openReceiver>[0], receiver: Pick<Receiver, "url">) {
  const clock = createClock();
  const server = await openDelivering(t, { clock });
  await server.integrate({ url: receiver.url });
  /** Moves the clock to the next attempt, once one is scheduled. */
  const next = async () => {
    await until(() => clock.waits().length > 0, "another attempt to be planned");
    const [ms = 0] = clock.waits();
    clock.move(ms);
    return ms;
  };
  return { ...server, clock, next };
}

for (const status of [408, 425, 429, 500, 502, 503]) {
  test(`${status} is retried`, async (t) => {
    const receiver = await openReceiver(t, status);
    const { addFlag, recorded, next, waiting } = await delivering(t, receiver);
    await addFlag("f");
    const [first] = await recorded(1);
    assert.equal(first!.state, "failed");
    assert.equal(first!.stateDetails, `Webhook request failed with status code: ${status}.`);
    assert.equal(first!.details.retryAt, "2030-01-01T00:00:01.000Z");
    assert.equal(waiting(), 1);
    receiver.answer = 200;
    await next();
    const [second] = await recorded(2);
    assert.deepEqual([second!.state, second!.details.attempt, waiting()], ["success", 2, 0]);
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    assert.equal(new Set(ids).size, 1, "the same id both times");
  });
}

for (const status of [204, 201, 226]) {
  test(`${status} is a success`, async (t) => {
    const { addFlag, recorded } = await delivering(t, await openReceiver(t, status));
    await addFlag("f");
    const [record] = await recorded(1);
    assert.equal(record!.state, "success");
  });
}

for (const status of [301, 302, 307, 400, 401, 403, 404, 410, 413, 422]) {
  test(`${status} is neither retried nor followed`, async (t) => {
    const receiver = await openReceiver(t, (_, response) =>
      response.writeHead(status, { location: receiver.url }).end(),
    );
    const { addFlag, recorded, waiting } = await delivering(t, receiver);
    await addFlag("f");
    const [record] = await recorded(1);
    assert.deepEqual([record!.state, record!.details.retryAt, waiting()], ["failed", undefined, 0]);
    assert.equal(receiver.received.length, 1);
  });
}

test("attempts back off, and end", async (t) => {
  const receiver = await openReceiver(t, 500);
  const { addFlag, recorded, next, waiting } = await delivering(t, receiver);
  await addFlag("f");
  const waits: number[] = [];
  for (let count = 1; count < 10; count++) {
    await recorded(count);
    waits.push(await next());
  }
  const [last] = await recorded(10);
  assert.deepEqual(
    waits,
    [1, 2, 4, 8, 16, 32, 64, 128, 256].map((seconds) => seconds * 1000),
  );
  assert.match(last!.stateDetails, /status code: 500\.\nGiven up after 10 attempts\.$/);
  assert.equal(last!.details.retryAt, undefined);
  assert.equal(waiting(), 0);
});

for (const [name, header, ms] of [
  ["in seconds", "90", 90_000],
  ["as a date", "Tue, 01 Jan 2030 00:01:00 GMT", 60_000],
  ["for ever, limited to an hour", "999999", 3_600_000],
  ["not at all", "soon", 1000],
] as const)
  test(`a receiver can ask for a delay: ${name}`, async (t) => {
    const receiver = await openReceiver(t, (_, response) =>
      response.writeHead(429, { "retry-after": header }).end(),
    );
    const { addFlag, recorded, next } = await delivering(t, receiver);
    await addFlag("f");
    await recorded(1);
    assert.equal(await next(), ms);
  });

test("later events wait for one that is retried, and arrive in order", async (t) => {
  const receiver = await openReceiver(t, 500);
  const { addFlag, recorded, next } = await delivering(t, receiver);
  for (const name of ["one", "two", "three"]) await addFlag(name);
  await recorded(1);
  receiver.answer = 200;
  await next();
  await recorded(4);
  const names = receiver.received.map(({ body }) => JSON.parse(body).featureName);
  assert.deepEqual(names, ["one", "one", "two", "three"]);
});

test("after refusing several events in a row, a receiver is left alone for a while", async (t) => {
  const receiver = await openReceiver(t, 404);
  const { addFlag, recorded, next, request, waiting } = await delivering(t, receiver);
  for (let count = 0; count < 7; count++) await addFlag(`f${count}`);
  await recorded(5);
  const { delivery } = (await request("/api/admin/addons/1")).body;
  assert.equal(delivery.waiting, 2);
  assert.equal(delivery.failing.failures, 5);
  assert.equal(delivery.failing.reason, "Webhook request failed with status code: 404.");
  assert.equal(delivery.failing.retryAt, "2030-01-01T00:00:16.000Z");
  receiver.answer = 200;
  assert.equal(await next(), 16_000);
  await recorded(7);
  await until(() => waiting() === 0);
  assert.equal((await request("/api/admin/addons/1")).body.delivery, undefined);
});

test("without the key of its secrets, an integration waits for the key", async (t) => {
  const receiver = await openReceiver(t);
  const { addFlag, db, integrate, recorded, waiting } = await openDelivering(t, { clock: createClock() });
  await integrate({ url: receiver.url, authorization: "hush" });
  db.exec(
    `UPDATE integrations SET parameters = json_set(parameters, '$.authorization', 'encrypted:1:0badc0de:AAAA')`,
  );
  await addFlag("f");
  const [record] = await recorded(1);
  assert.equal(record!.stateDetails, "The key 0badc0de is missing: restore its key file");
  assert.ok(record!.details.retryAt);
  assert.deepEqual([waiting(), receiver.received.length], [1, 0]);
});

test("a slow receiver delays no other receiver, and no request", async (t) => {
  const slow = await openReceiver(t, () => {});
  const quick = await openReceiver(t);
  const { integrate, addFlag, recorded } = await openDelivering(t, { timeoutMs: 60_000 });
  await integrate({ url: slow.url });
  await integrate({ url: quick.url });
  for (const name of ["one", "two", "three"]) await addFlag(name);
  assert.equal((await recorded(3, 2)).length, 3);
  assert.equal(slow.received.length, 1);
  slow.answer = 200;
});

test("if an attempt can't be recorded, no more are made until the file is writable", async (t) => {
  const receiver = await openReceiver(t, (_, response) => void setTimeout(() => response.end(), 60));
  const { addFlag, clock, next, db, request, recorded } = await delivering(t, receiver);
  await request("/api/admin/addons/1/pause", { method: "POST" });
  for (let count = 0; count < 9; count++) await addFlag(`f${count}`);
  db.exec(`CREATE TEMP TRIGGER full BEFORE INSERT ON integration_events
    BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
  await request("/api/admin/addons/1/resume", { method: "POST" });
  await until(() => clock.waits().length > 0, "another attempt to be planned");
  assert.ok(receiver.received.length <= 3, `${receiver.received.length} were sent unrecorded`);
  db.exec("DROP TRIGGER full");
  assert.equal(await next(), 10_000);
  await recorded(9);
});

test("unrecorded deliveries are repeated once the file is writable, one at a time until then", async (t) => {
  const receiver = await openReceiver(t);
  const { addFlag, clock, recorded, next, db, waiting, request } = await delivering(t, receiver);
  await request("/api/admin/addons/1/pause", { method: "POST" });
  for (const name of ["one", "two", "three"]) await addFlag(name);
  db.exec(`CREATE TEMP TRIGGER full BEFORE INSERT ON integration_events
    BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
  await request("/api/admin/addons/1/resume", { method: "POST" });
  await receiver.has(3);
  assert.equal(await next(), 10_000);
  await receiver.has(4);
  assert.equal(waiting(), 3);
  await until(() => clock.waits().length > 0, "another attempt to be planned");
  db.exec("DROP TRIGGER full");
  await next();
  await recorded(3);
  assert.equal(waiting(), 0);
  const names = receiver.received.map(({ body }) => JSON.parse(body).featureName);
  assert.deepEqual(names, ["one", "two", "three", "one", "one", "two", "three"]);
});

test("nothing is delivered while another file is in the place of the open one", async (t) => {
  const receiver = await openReceiver(t, 500);
  const { db, file } = openFile(t);
  const clock = createClock();
  const logged: LogLine[] = [];
  const parameters = { url: receiver.url };
  await importLines(db, createWorld().project("a").integration({ parameters, events: EVENTS }).lines);
  const options = { db, clock, publicUrl: "", allowed: ["127.0.0.1"] };
  const dispatcher = startDispatcher({ ...options, log: (line) => logged.push(line) });
  t.after(() => dispatcher.stop());
  const next = async () => {
    await until(() => clock.waits().length > 0, "another attempt to be planned");
    clock.move(clock.waits()[0]!);
  };
  write(db, CLI, (tx) => tx.record({ type: "feature-created", project: "a", featureName: "f" }));
  await receiver.has(1);
  fs.linkSync(file, `${file}.open`);
  fs.copyFileSync(file, `${file}.copy`);
  await until(() => clock.waits().length > 0, "another attempt to be planned");
  fs.renameSync(`${file}.copy`, file);
  await next();
  await until(() => logged.some(({ message }) => /waiting: The data file, or/.test(message)), "a warning");
  assert.equal(receiver.received.length, 1);
  fs.renameSync(`${file}.open`, file);
  receiver.answer = 200;
  await next();
  await receiver.has(2);
});
