import assert from "node:assert/strict";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { LogLine } from "../../src/log.ts";
import { createLargeChanges } from "../../src/server/large-changes.ts";
import { BUILD } from "../../src/version.ts";
import { dataFile } from "../cli/run-cli.ts";
import { createWorld, personal } from "../support/world.ts";

const PROGRAM = [
  process.execPath,
  "--import",
  path.resolve("scripts/preload.mjs"),
  path.resolve("src/main.ts"),
];

const REQUEST = {
  url: "http://localhost/api/admin/projects",
  method: "GET",
  headers: [["authorization", personal(1)]] satisfies Array<[string, string]>,
  body: "",
};

async function start(t: TestContext, { program = PROGRAM, build = BUILD } = {}) {
  const file = await dataFile(t, createWorld().project("a").lines);
  const lines: LogLine[] = [];
  const changes = createLargeChanges({ program, settings: { file, build }, log: (line) => lines.push(line) });
  t.after(() => changes.close());
  const warnings = () => lines.filter(({ level }) => level === "warn").map(({ message }) => message);
  const pids = () => lines.flatMap(({ pid }) => (pid === undefined ? [] : [Number(pid)]));
  return { ...changes, warnings, pids };
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("the process for large changes", { concurrency: true }, () => {
  test("handles requests, several at once, and ends when there were none for a minute", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { handle, pids } = await start(t);
    const [one, other] = await Promise.all([handle(REQUEST), handle({ ...REQUEST, headers: [] })]);
    assert.deepEqual([one?.status, other?.status], [200, 401]);
    assert.match(String(one?.body), /"projects":\[/);
    assert.equal(pids().length, 1);
    t.mock.timers.tick(59_999);
    assert.equal((await handle(REQUEST))?.status, 200);
    t.mock.timers.tick(59_999);
    assert.ok(isAlive(pids()[0]!), "it was used within the minute");
    t.mock.timers.tick(1);
    while (isAlive(pids()[0]!)) await new Promise(setImmediate);
    assert.equal((await handle(REQUEST))?.status, 200);
    assert.equal(pids().length, 2);
  });

  test("does not start on another build's file, which it might upgrade", async (t) => {
    const { handle, warnings } = await start(t, { build: "0.0.1" });
    assert.equal(await handle(REQUEST), undefined);
    const [reason, consequence] = warnings();
    assert.match(reason!, /^starting the second process: the program was replaced by \S+/);
    assert.match(consequence!, /^the second process, for large changes, is gone: /);
  });

  test("is done without if the program can't be started", async (t) => {
    const { handle, warnings } = await start(t, { program: ["/nowhere/flagstone"] });
    assert.equal(await handle(REQUEST), undefined);
    assert.match(warnings()[0]!, /ENOENT/);
  });
});
