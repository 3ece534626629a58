import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createPace, createSlots, type Slot } from "../../src/integrations/pace.ts";
import { createClock, openDelivering } from "../support/delivering.ts";
import { openReceiver, until } from "../support/receiver.ts";

const MIB = 2 ** 20;

/** How many of `count` concurrent requests may start at once; resolves when all have started. */
async function begunAtOnce(pace: () => Promise<void>, count: number) {
  let begun = 0;
  const all = Array.from({ length: count }, () => pace().then(() => begun++));
  await setImmediate();
  const atOnce = begun;
  await Promise.all(all);
  return atOnce;
}

test("while the event loop is busy, few deliveries start at once, and the rest in turn", async () => {
  await setImmediate(); // nothing is known about the loop's delay yet
  const pace = createPace();
  const end = performance.now() + 30;
  while (performance.now() < end);
  assert.equal(await begunAtOnce(pace, 20), 6);
});

test("attempts begin in order, one per turn, until they hold 16 MiB, and go on as these are released", async () => {
  const takeSlot = createSlots(async () => {});
  const begun: number[] = [];
  const slots: Slot[] = [];
  const hasBegun = async (...expected: number[]) => {
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    assert.deepEqual(begun, expected);
  };
  for (let index = 0; index < 8; index++)
    void takeSlot().then((slot) => {
      begun.push(index);
      slot.add(4 * MIB);
      slots.push(slot);
    });
  await Promise.resolve();
  assert.deepEqual(begun, [0], "the others have to wait for the next turn");
  await hasBegun(0, 1, 2, 3);
  slots[2]!.release();
  await hasBegun(0, 1, 2, 3, 4);
  for (const index of [0, 1]) slots[index]!.release();
  await hasBegun(0, 1, 2, 3, 4, 5, 6);
});

test("only some large bodies are in flight, and those of failing receivers hold up no others", async (t) => {
  const clock = createClock();
  const held: ServerResponse[] = [];
  const failing = await openReceiver(t, 500);
  const well = await openReceiver(t);
  const { integrate, addFlag, db } = await openDelivering(t, { clock, timeoutMs: 60_000 });
  const total = db.prepare("SELECT count(*) FROM integration_events").pluck();
  const haveRecords = (count: number) => until(() => total.get() === count, `${count} records`);
  const bodyTemplate = "{{{eventJson}}}".repeat(1000);
  for (let count = 0; count < 60; count++) await integrate({ url: failing.url, bodyTemplate });
  await integrate({ url: well.url, bodyTemplate });
  await addFlag("one");
  await haveRecords(61);
  failing.answer = (_, response) => void held.push(response);
  clock.move(1000);
  await failing.has(60 + 33);
  await addFlag("two");
  await well.has(2);
  assert.equal(held.length, 33, "of 454 kB each, and what else they hold");
  failing.answer = 200;
  for (const response of held) response.end();
  await haveRecords(61 + 60 + 61);
});
