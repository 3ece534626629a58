import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { applyDue } from "../../src/change-requests/schedule.ts";
import type { LogLine } from "../../src/lib/logger.ts";
import { watchLog } from "../support/server.ts";
import {
  ADMIN,
  APPLIER,
  APPROVER,
  AUTHOR,
  ON,
  openShop,
  PRODUCTION,
  PROPOSE,
  REQUESTS,
  SHOP,
} from "./protected.ts";

const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

/** The author's request to enable the flag, approved and scheduled in an hour; and what the clock does. */
async function openScheduled(t: TestContext) {
  const shop = await openShop(t);
  const id = await shop.propose(ON);
  await shop.state(id, APPROVER, { state: "Approved" });
  const scheduled = await shop.state(id, APPLIER, { state: "Scheduled", scheduledAt: inHours(1) });
  assert.deepEqual([scheduled.status, scheduled.body.schedule.status], [200, "pending"]);
  const logged: LogLine[] = [];
  /** Looks at the clock so many hours from now. */
  const wait = (hours: number, skipsLate = false) =>
    applyDue(shop.db, (line) => logged.push(line), { now: Date.now() + hours * HOUR_MS, skipsLate });
  const read = async () => (await shop.get(`${REQUESTS}/${id}`, AUTHOR)).body;
  return { ...shop, id, wait, read, logged };
}

test("it is applied at its time, once, by whoever scheduled it", async (t) => {
  const { wait, read, isOn, db, logged } = await openScheduled(t);
  const recorded = watchLog(db);
  await wait(0.99);
  assert.deepEqual([await isOn(), (await read()).state], [false, "Scheduled"]);
  await Promise.all([wait(1), wait(1)]);
  assert.deepEqual(
    [await isOn(), (await read()).state, (await read()).schedule],
    [true, "Applied", undefined],
  );
  assert.deepEqual(
    recorded().map(({ type, createdByUserId }) => [type, createdByUserId]),
    [
      ["change-request-scheduled-application-success", 4],
      ["feature-strategy-add", 4],
      ["feature-environment-enabled", 4],
    ],
  );
  assert.deepEqual(logged, []);
});

test("what is scheduled is found by any of several flags", async (t) => {
  const { get, id } = await openScheduled(t);
  const found = async (query: string) => (await get(`${REQUESTS}/scheduled?${query}`, AUTHOR)).body;
  assert.deepEqual(await found("feature=search&feature=checkout"), [{ id, environment: "production" }]);
  assert.deepEqual([await found("feature=search"), await found("")], [[], []]);
});

test("what is late is applied and said, or skipped if that is wanted", async (t) => {
  const first = await openScheduled(t);
  await first.wait(30);
  assert.equal(await first.isOn(), true);
  assert.deepEqual(
    [first.logged.length, /#1 was due at .*: applied late/.test(first.logged[0]!.message)],
    [1, true],
  );
  const second = await openScheduled(t);
  await second.wait(30, true);
  assert.equal(await second.isOn(), false);
  assert.deepEqual(
    second.logged.map(({ message }) => message),
    ["change request #1 was not applied: no server was running at that time"],
  );
  const { state, schedule } = await second.read();
  assert.deepEqual(
    [state, schedule.status, schedule.failureReason],
    ["Scheduled", "failed", "no server was running at that time"],
  );
});

test("it is suspended when its flag is archived, or whoever scheduled it is gone, and they are told", async (t) => {
  const first = await openScheduled(t);
  assert.equal((await first.remove(`${SHOP}/features/checkout`, ADMIN)).status, 202);
  await first.wait(0);
  const { status, reason } = (await first.read()).schedule;
  assert.equal(status, "suspended");
  assert.match(reason, /the flag checkout is archived; reject it/);
  const notices = (await first.get("/api/admin/notifications", APPLIER)).body;
  assert.match(notices[0].message, /suspended change request #1/);
  await first.wait(2);
  assert.equal((await first.read()).state, "Scheduled", "it is not tried");

  const second = await openScheduled(t);
  second.db.prepare("DELETE FROM users WHERE id = 4").run();
  await second.wait(0);
  assert.equal((await second.read()).schedule.reason, "whoever scheduled it was deleted");
});

test("it fails for the reason that prevents it, and can be scheduled again or rejected", async (t) => {
  const { wait, read, post, state, id, isOn } = await openScheduled(t);
  assert.equal((await post(`${PRODUCTION}/on`, ADMIN)).status, 200);
  await wait(1);
  const { schedule } = await read();
  assert.equal(schedule.status, "failed");
  assert.match(
    schedule.reason,
    /needs 1 more approval, since what it changes has been changed; reject it and propose it again$/,
  );
  assert.equal(await isOn(), true);
  const again = { state: "Scheduled", scheduledAt: inHours(2) };
  assert.equal((await state(id, APPLIER, again)).status, 409, "not without an approval");
  assert.equal((await state(id, AUTHOR, { state: "Rejected" })).body.state, "Rejected");
});

test("a time in the past, or none, is refused", async (t) => {
  const { propose, state } = await openShop(t);
  const id = await propose(ON);
  await state(id, APPROVER, { state: "Approved" });
  for (const body of [
    { state: "Scheduled" },
    { state: "Scheduled", scheduledAt: inHours(-1) },
    { state: "Scheduled", scheduledAt: "tomorrow" },
    { state: "Applied", scheduledAt: inHours(1) },
  ])
    assert.equal((await state(id, APPLIER, body)).status, 400);
  const far = { state: "Scheduled", scheduledAt: "9999-12-31T23:59:59+02:00" };
  assert.equal((await state(id, APPLIER, far)).body.schedule.scheduledAt, "9999-12-31T21:59:59.000Z");
});

test("where nobody must approve, whoever may make a change can plan it", async (t) => {
  const { db, post, put, get } = await openShop(t);
  const url = PROPOSE.replace("production", "development");
  const { id, minApprovals } = (await post(url, AUTHOR, ON)).body;
  assert.equal(minApprovals, 0);
  const state = (as: string, body: object) => put(`${REQUESTS}/${id}/state`, as, body);
  assert.equal((await state(AUTHOR, { state: "In review" })).body.state, "Approved");
  const scheduled = { state: "Scheduled", scheduledAt: inHours(1) };
  assert.equal((await state(APPROVER, scheduled)).status, 403, "they may not change the flag");
  assert.equal((await state(AUTHOR, scheduled)).status, 200);
  await applyDue(db, () => {}, { now: Date.now() + HOUR_MS });
  const { body } = await get(PRODUCTION.replace("production", "development"), AUTHOR);
  assert.equal(body.enabled, true);
});
