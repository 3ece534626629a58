import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createTurn } from "../../src/delivery/pace.ts";

/** How many of so many that ask at once may begin at once; resolves when all have begun. */
async function begunAtOnce(turn: () => Promise<void>, count: number) {
  let begun = 0;
  const all = Array.from({ length: count }, () => turn().then(() => begun++));
  await setImmediate();
  const atOnce = begun;
  await Promise.all(all);
  return atOnce;
}

test("while the event loop is busy, few deliveries begin, and the rest in turn", async () => {
  await setImmediate(); // nothing is known of a loop that has not begun
  const turn = createTurn();
  const end = performance.now() + 30;
  while (performance.now() < end);
  assert.equal(await begunAtOnce(turn, 20), 6);
});
