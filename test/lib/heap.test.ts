import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { keepHeapSmall } from "../../src/lib/heap.ts";

const SECOND = 1000;

/** The system's figures as a test sets them, and what has been let go of. */
function watch(t: TestContext) {
  const system = { cpu: 0, rss: 100e6, released: 0 };
  t.mock.timers.enable({ apis: ["setInterval"] });
  t.mock.method(process, "cpuUsage", (since = { user: 0 }) => ({ user: system.cpu - since.user, system: 0 }));
  t.mock.method(process.memoryUsage, "rss", () => system.rss);
  const log = () => assert.fail("nothing to say");
  const stop = keepHeapSmall(log, () => system.released++);
  t.after(stop);
  /** Ten seconds, of which so much is work. @returns whether memory has been given back */
  const pass = async (work: number) => {
    const before = system.released;
    system.cpu += work * SECOND * 1000;
    t.mock.timers.tick(10 * SECOND);
    await setImmediate();
    return system.released > before;
  };
  return { system, stop, pass };
}

test("memory is given back once there is little to do, and again when it has grown", async (t) => {
  const { system, stop, pass } = watch(t);
  assert.equal(await pass(2), false, "busy");
  const garbage = new WeakRef({});
  await setImmediate(); // until then it is kept
  assert.equal(await pass(0.1), true, "quiet");
  assert.equal(garbage.deref(), undefined);
  assert.equal(await pass(0.1), false, "it has not grown");
  system.rss += 50e6;
  assert.equal(await pass(2), false, "it has grown, but there is much to do");
  assert.equal(await pass(0.1), true);
  system.rss += 50e6;
  await stop();
  assert.equal(await pass(0.1), false, "ended");
});
