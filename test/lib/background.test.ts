import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createBackground } from "../../src/lib/background.ts";
import type { LogLine } from "../../src/lib/logger.ts";

test("what is due while it runs is run once more, and nothing runs once it is stopped", async () => {
  const background = createBackground(() => {}, "work");
  let [begun, ended] = [0, 0];
  background.every(5, async () => {
    begun++;
    await setTimeout(40);
    ended++;
  });
  await setTimeout(60); // ten times due, and in its second run
  await background.stop();
  const stopped = begun;
  assert.equal(ended, begun);
  assert.ok(begun <= 3, `${begun} times`);
  await setTimeout(60);
  assert.equal(begun, stopped);
});

test("a failure is logged, and the next piece of work runs", async () => {
  const logged: LogLine[] = [];
  const background = createBackground((line) => logged.push(line), "work");
  await background.run(async () => {
    throw new Error("the disk is full");
  });
  let isRun = false;
  await background.run(async () => (isRun = true));
  assert.ok(isRun);
  assert.deepEqual(logged, [{ level: "warn", message: "work: the disk is full" }]);
});
