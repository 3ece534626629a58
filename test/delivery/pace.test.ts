import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createTurn } from "../../src/delivery/pace.ts";

/** How many of `count` concurrent requests may start at once; resolves when all have started. */
async function begunAtOnce(turn: () => Promise<void>, count: number) {
  let begun = 0;
  const all = Array.from({ length: count }, () => turn().then(() => begun++));
  await setImmediate();
  const atOnce = begun;
  await Promise.all(all);
  return atOnce;
}

test("while the event loop is busy, few deliveries start at once, and the rest in turn", async () => {
  await setImmediate(); // nothing is known about the loop's delay yet
  const turn = createTurn();
  const end = performance.now() + 30;
  while (performance.now() < end);
  assert.equal(await begunAtOnce(turn, 20), 6);
});
