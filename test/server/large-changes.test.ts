import assert from "node:assert/strict";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import type { LogLine } from "../../src/lib/logger.ts";
import { BUILD } from "../../src/lib/version.ts";
import { createLargeChanges } from "../../src/server/large-changes.ts";
import { dataFile } from "../cli/run-cli.ts";
import { isAlive } from "../support/alive.ts";
import { createWorld, personal } from "../support/world.ts";

const PROGRAM = [
  process.execPath,
  "--import",
  path.resolve("scripts/preload.mjs"),
  path.resolve("src/main.ts"),
];

const REQUEST = {
  origin: "http://localhost",
  path: "/api/admin/projects",
  method: "GET",
  headers: [["authorization", personal(1)]] satisfies Array<[string, string]>,
  body: "",
  address: "192.0.2.1",
};

async function start(t: TestContext, { program = PROGRAM, build = BUILD, isInPlace = true } = {}) {
  const file = await dataFile(t, createWorld().project("a").lines);
  const lines: LogLine[] = [];
  const changes = createLargeChanges({
    program,
    settings: { file, build, basePath: "/flags" },
    log: (line) => lines.push(line),
    isInPlace: () => isInPlace,
  });
  t.after(() => changes.close());
  const warnings = () => lines.filter(({ level }) => level === "warn").map(({ message }) => message);
  const pids = () => lines.flatMap(({ pid }) => (pid === undefined ? [] : [Number(pid)]));
  return { ...changes, lines, warnings, pids };
}

describe("the worker process for large changes", () => {
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
    assert.match(reason!, /^starting a worker process: the program was replaced by \S+/);
    assert.match(consequence!, /^the worker process for large changes failed: exited with 0/);
  });

  test("logs what it refuses, with the caller's address", async (t) => {
    const { handle, lines } = await start(t);
    assert.equal((await handle({ ...REQUEST, path: "/api/admin/projects/unknown/overview" }))?.status, 404);
    assert.deepEqual(
      lines.filter(({ status }) => status === 404).map(({ address }) => address),
      ["192.0.2.1"],
    );
  });

  test("fails what it was given when it is killed; what comes later has another", async (t) => {
    const { handle, pids, warnings } = await start(t);
    await handle(REQUEST);
    process.kill(pids()[0]!, "SIGSTOP");
    const interrupted = handle(REQUEST);
    process.kill(pids()[0]!, "SIGKILL");
    await assert.rejects(interrupted, {
      name: "ServiceUnavailableError",
      message: /check whether the change was made/,
    });
    assert.deepEqual(warnings(), ["the worker process for large changes failed: exited with SIGKILL"]);
    assert.equal((await handle(REQUEST))?.status, 200);
  });

  test("is not used for a file that was replaced, nor once the server stops", async (t) => {
    const replaced = await start(t, { isInPlace: false });
    assert.equal(await replaced.handle(REQUEST), undefined);
    const stopped = await start(t);
    await stopped.close();
    assert.equal(await stopped.handle(REQUEST), undefined);
    assert.deepEqual([replaced.lines, stopped.lines], [[], []]);
  });

  test("ends with the server even if it hangs", async (t) => {
    const { handle, close, pids } = await start(t);
    await handle(REQUEST);
    process.kill(pids()[0]!, "SIGSTOP");
    await close();
    assert.ok(!isAlive(pids()[0]!));
  });

  test("isn't needed if the program can't be started", async (t) => {
    const { handle, warnings } = await start(t, { program: ["/nowhere/flagstone"] });
    assert.equal(await handle(REQUEST), undefined);
    assert.match(warnings()[0]!, /ENOENT/);
  });
});
