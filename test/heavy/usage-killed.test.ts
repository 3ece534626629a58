import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { checkFile } from "../../src/db/check.ts";
import { dataFile, linesOf, startServer } from "../cli/run-cli.ts";
import { report } from "../support/usage.ts";
import { CLIENT, createWorld } from "../support/world.ts";

/** How much reported usage a crash may lose. */
const LOST_MS = 5000;

const PAUSE_MS = 20;

test("a kill -9 loses at most five seconds of usage", async (t) => {
  const data = await dataFile(t, createWorld().project("a").feature("menu", "a").lines);
  const { child, ended, url } = await startServer(t, ["serve", "--data", data]);
  const headers = { authorization: CLIENT, "content-type": "application/json" };
  const acknowledged: number[] = [];
  const end = Date.now() + LOST_MS + 1000 + Math.random() * LOST_MS;
  while (Date.now() < end) {
    const body = JSON.stringify(report({ menu: { yes: 1 } }));
    const { status } = await fetch(`${url}/api/client/metrics`, { method: "POST", headers, body });
    assert.equal(status, 202);
    acknowledged.push(Date.now());
    await setTimeout(PAUSE_MS);
  }
  const killed = Date.now();
  child.kill("SIGKILL");
  await ended;
  const usage = linesOf(data).filter(({ kind }) => kind === "usage") as Array<{
    hours: Array<{ yes: number }>;
  }>;
  const kept = usage.flatMap(({ hours }) => hours).reduce((sum, { yes }) => sum + yes, 0);
  const due = acknowledged.filter((time) => time < killed - LOST_MS).length;
  assert.ok(due > 0 && kept >= due, `${kept} of ${due} that were due, ${acknowledged.length} in total`);
  assert.deepEqual(
    checkFile(data).filter(({ problem }) => problem !== undefined),
    [],
  );
});
