import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isAlive } from "../support/alive.ts";
import { createWorld, personal } from "../support/world.ts";
import { dataFile, startServer } from "./run-cli.ts";

const NAMES = Array.from({ length: 60 }, (_, index) => `flag-${index}`);
const PROJECT = "/projects/a";
const [ADMIN, VIEWER] = [personal(1), personal(3)];

/** A server with a project of sixty flags. */
async function start(t: TestContext, ...settings: string[]) {
  const world = createWorld().project("a").member("a", 2);
  for (const name of NAMES) world.feature(name, "a", { environments: [{ name: "development" }] });
  const file = await dataFile(t, world.lines);
  const server = await startServer(t, ["serve", "--data", file, ...settings]);
  const call = async (method: string, path: string, { as = ADMIN, body, headers = {} }: Call = {}) => {
    const response = await fetch(`${server.url}/api/admin${path}`, {
      method,
      headers: { authorization: as, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  const archive = (call_: Call = {}) =>
    call("POST", `${PROJECT}/archive`, { body: { features: NAMES }, ...call_ });
  const revive = () => call("POST", `${PROJECT}/revive`, { body: { features: NAMES } });
  const archived = async () => (await call("GET", "/archive/features/a")).body.features.length;
  /** The ids of the worker processes so far. */
  const workers = () =>
    [...server.output.stderr.matchAll(/worker process.* pid=(\d+)/g)].map(([, pid]) => Number(pid));
  return { ...server, file, call, archive, revive, archived, workers };
}

interface Call {
  as?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

async function gone(pid: number) {
  while (isAlive(pid)) await delay(10);
}

describe("a large change", { concurrency: 2 }, () => {
  test("is made by a worker process, visible at once, and recorded as by the caller", async (t) => {
    const { call, archive, archived, workers, stop } = await start(t);
    assert.equal(
      (await call("POST", `${PROJECT}/stale`, { body: { features: NAMES.slice(0, 50), stale: true } }))
        .status,
      202,
    );
    assert.deepEqual(workers(), [], "a smaller change needs none");
    assert.equal(await archived(), 0);
    assert.equal((await archive()).status, 202);
    assert.equal(await archived(), 60);
    const own = (await call("GET", "/search/events?type=IS:feature-archived&limit=100")).body.events;
    assert.deepEqual([own.length, own[0].createdByUserId], [60, 1]);
    assert.equal(workers().length, 1);
    assert.equal((await stop()).code, 0);
    assert.ok(!isAlive(workers()[0]!), "it ends with the server");
  });

  test("is checked as any other", async (t) => {
    const { call, archive, archived } = await start(t, "--base-path", "/flags");
    assert.equal((await archive({ as: VIEWER })).status, 403);
    const unknown = await call("POST", `${PROJECT}/bulk_features/environments/nowhere/on`, {
      body: { features: NAMES },
    });
    assert.deepEqual([unknown.status, unknown.body.name], [404, "NotFoundError"]);
    await call("POST", `${PROJECT}/features/flag-59/dependencies`, { body: { feature: "flag-0" } });
    const partly = await archive({ body: { features: NAMES.slice(0, 59) } });
    assert.deepEqual([partly.status, partly.body.name, await archived()], [403, "InvalidOperationError", 0]);
    const project = await call("DELETE", PROJECT);
    assert.equal(project.status, 403);
  });

  test("runs beside others, and none is lost", async (t) => {
    const { call, archive, archived, revive } = await start(t);
    const created = Array.from({ length: 20 }, (_, index) =>
      call("POST", `${PROJECT}/features`, { body: { name: `new-${index}`, type: "release" } }),
    );
    const replies = await Promise.all([archive(), ...created, archive()]);
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201, 202]));
    assert.equal(await archived(), 60);
    assert.equal((await revive()).status, 200);
    assert.equal((await call("GET", `${PROJECT}/features`)).body.features.length, 80);
  });

  test("fails, or is made, if the worker process is killed meanwhile; the next one has another", async (t) => {
    const { archive, archived, revive, workers } = await start(t);
    await archive();
    await revive();
    const [first] = workers();
    process.kill(first!, "SIGSTOP");
    const interrupted = archive();
    await archived(); // so that it has most likely been handed over; otherwise it succeeds
    process.kill(first!, "SIGKILL");
    const { status, body } = await interrupted;
    if (status === 503) assert.match(body.message, /check whether the change was made/);
    else assert.equal(status, 202);
    assert.equal(await archived(), status === 503 ? 0 : 60);
    assert.equal((await archive()).status, 202);
    assert.equal(workers().length, 2);
  });

  test("is refused if the file was replaced, and begins no process on the other one", async (t) => {
    const { file, archive, archived, workers, stop } = await start(t);
    fs.renameSync(file, `${file}.moved`);
    fs.copyFileSync(`${file}.moved`, file);
    assert.equal((await archive()).status, 503);
    assert.equal(await archived(), 0);
    assert.deepEqual(workers(), []);
    fs.renameSync(`${file}.moved`, file);
    assert.equal((await stop()).code, 0);
  });

  test("leaves no process behind if the server is killed", async (t) => {
    const { archive, workers, child } = await start(t);
    await archive();
    child.kill("SIGKILL");
    await once(child, "exit");
    await gone(workers()[0]!);
  });
});
