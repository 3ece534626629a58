import assert from "node:assert/strict";
import { test } from "node:test";
import { createClock, openDelivering } from "../support/delivering.ts";
import { openReceiver, until } from "../support/receiver.ts";
import { scenarios } from "../support/server.ts";
import { personal, type World } from "../support/world.ts";

const one = (w: World) =>
  w
    .integration({ parameters: { url: "https://hooks.example" } })
    .event()
    .integrationEvent({ state: "failed" });

const updated = { type: "addon-config-updated" } as const;

scenarios("POST /api/admin/addons/1/pause", [
  { name: "an unknown id", expect: [404, "NotFoundError"] },
  {
    name: "an Editor may, and it is recorded",
    as: personal(2),
    given: one,
    records: [updated],
    see: (_, { text }) => assert.equal(text, ""),
  },
  { name: "one that is paused already", given: (w) => w.integration({ paused: true }) },
]);

scenarios("POST /api/admin/addons/1/resume", [
  { name: "an unknown id", expect: [404, "NotFoundError"] },
  { name: "one that is paused", given: (w) => w.integration({ paused: true }), records: [updated] },
  { name: "one that is not", given: one },
]);

scenarios("POST /api/admin/addons/1/events/1/redeliver", [
  { name: "an unknown integration", expect: [404, "NotFoundError"] },
  {
    name: "an unknown record",
    given: one,
    url: "/api/admin/addons/1/events/2/redeliver",
    expect: [404, "NotFoundError"],
  },
  {
    name: "a record of another one",
    given: (w) => one(w).integration(),
    url: "/api/admin/addons/2/events/1/redeliver",
    expect: [404, "NotFoundError"],
  },
  {
    name: "a record id that is not a number",
    given: one,
    url: "/api/admin/addons/1/events/x/redeliver",
    expect: [404, "NotFoundError"],
  },
  {
    name: "a disabled one",
    given: (w) => w.integration({ enabled: false }).event().integrationEvent(),
    expect: [409, "ConflictError"],
  },
  { name: "it is queued", given: one, expect: 202 },
]);

scenarios("POST /api/admin/addons/1/test", [
  { name: "an unknown id", expect: [404, "NotFoundError"] },
  { name: "nothing has happened yet", given: (w) => w.integration(), expect: [409, "ConflictError"] },
]);

test("an integration is tested with an event that it subscribes to, even while disabled", async (t) => {
  const receiver = await openReceiver(t);
  const { integrate, addFlag, request, records } = await openDelivering(t);
  await addFlag("f");
  await integrate({ url: receiver.url }, { enabled: false, events: ["feature-created"] });
  const { status, body } = await request("/api/admin/addons/1/test", { method: "POST" });
  assert.equal(status, 200);
  assert.deepEqual([body.state, body.event.featureName, body.details.test], ["success", "f", true]);
  assert.deepEqual(await records(), [body]);
});

test("one that subscribes to none is tested with an event about integrations", async (t) => {
  const receiver = await openReceiver(t, 500);
  const { integrate, addFlag, request, waiting } = await openDelivering(t);
  await addFlag("f");
  await integrate({ url: receiver.url }, { projects: ["b"] });
  const { body } = await request("/api/admin/addons/1/test", { method: "POST" });
  assert.deepEqual([body.state, body.event.type], ["failed", "addon-config-created"]);
  assert.equal(body.details.retryAt, undefined);
  assert.equal(waiting(), 0);
});

test("while one is paused its deliveries wait, and are made when it is resumed", async (t) => {
  const receiver = await openReceiver(t);
  const { integrate, addFlag, request, recorded, waiting } = await openDelivering(t);
  await integrate({ url: receiver.url });
  await request("/api/admin/addons/1/pause", { method: "POST" });
  await addFlag("one");
  await addFlag("two");
  const { delivery } = (await request("/api/admin/addons/1")).body;
  assert.deepEqual(delivery, { paused: true, waiting: 2, failing: null });
  assert.equal(receiver.received.length, 0);
  await request("/api/admin/addons/1/resume", { method: "POST" });
  await recorded(2);
  assert.equal(waiting(), 0);
  assert.equal((await request("/api/admin/addons/1")).body.delivery, undefined);
});

test("a failed event is delivered again at once, followed by those waiting for it", async (t) => {
  const receiver = await openReceiver(t, 500);
  const clock = createClock();
  const { integrate, addFlag, request, recorded, waiting } = await openDelivering(t, { clock });
  await integrate({ url: receiver.url });
  await addFlag("one");
  await addFlag("two");
  const [record] = await recorded(1);
  receiver.answer = 200;
  const path = `/api/admin/addons/1/events/${record!.id}/redeliver`;
  // Request times come from the system clock, and are earlier than this one.
  assert.equal((await request(path, { method: "POST" })).status, 202);
  await recorded(3);
  await until(() => waiting() === 0);
  const names = receiver.received.map(({ body }) => JSON.parse(body).featureName);
  assert.deepEqual(names, ["one", "one", "two"]);
});

test("an event whose attempts are exhausted is delivered again", async (t) => {
  const receiver = await openReceiver(t, 404);
  const { integrate, addFlag, request, recorded } = await openDelivering(t);
  await integrate({ url: receiver.url });
  await addFlag("one");
  const [record] = await recorded(1);
  receiver.answer = 200;
  await request(`/api/admin/addons/1/events/${record!.id}/redeliver`, { method: "POST" });
  const [again] = await recorded(2);
  assert.deepEqual([again!.state, again!.event.id], ["success", record!.event.id]);
});

test("changing the integration triggers an immediate retry", async (t) => {
  const broken = await openReceiver(t, 500);
  const mended = await openReceiver(t);
  const { integrate, addFlag, request, recorded } = await openDelivering(t, { clock: createClock() });
  const { body } = await integrate({ url: broken.url });
  await addFlag("one");
  const [record] = await recorded(1);
  const changed = { ...body, parameters: { url: mended.url } };
  await request("/api/admin/addons/1", { method: "PUT", body: changed });
  await request(`/api/admin/addons/1/events/${record!.id}/redeliver`, { method: "POST" });
  await mended.has(1);
});

test("deleting an integration deletes its queue", async (t) => {
  const receiver = await openReceiver(t, () => {});
  const { integrate, addFlag, request, db } = await openDelivering(t, { timeoutMs: 500 });
  await integrate({ url: receiver.url });
  await addFlag("one");
  await receiver.has(1);
  assert.equal((await request("/api/admin/addons/1", { method: "DELETE" })).status, 200);
  const counts = ["deliveries", "integration_events", "integration_troubles"].map((table) =>
    db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
  );
  assert.deepEqual(counts, [0, 0, 0]);
});
