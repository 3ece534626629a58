import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { assertRefused, dataFile, runHere } from "../cli/run-cli.ts";
import { pushedWorld } from "../support/pushed.ts";
import { createWorld, personal, type World } from "../support/world.ts";
import { openSource } from "./source.ts";

type Target = Awaited<ReturnType<typeof openSource>>;

/** A server that is in use: the flag `checkout` is on, the other way round than ours. */
const used = () =>
  createWorld()
    .project("default", { description: "Theirs" })
    .add("segment", { id: 1, name: "Theirs" })
    .feature("theirs", "default")
    .feature("checkout", "default", {
      tags: [{ type: "simple", value: "old" }],
      environments: [{ name: "development", enabled: true, strategies: [{ id: "t1", name: "default" }] }],
    });

/** Pushes a world to a server, and forgets what that was asked before. */
async function pusher(t: TestContext, world: World, theirs: World = used()) {
  const [target, data] = [await openSource(t, theirs), await dataFile(t, world.lines)];
  const push = (...args: string[]) => {
    target.asked.length = 0;
    return runHere(["push", "--to", target.url, "--data", data, ...args], {
      env: { FLAGSTONE_TOKEN: personal(1) },
    });
  };
  return { target, push };
}

const changesAsked = ({ asked }: Target) => asked.filter((one) => !one.startsWith("GET "));

async function stateOf({ request }: Target, name: string) {
  const { body } = await request(`/api/admin/projects/default/features/${name}`);
  return body;
}

test("a server gets our flags with all they need, and a second push finds nothing to do", async (t) => {
  const { target, push } = await pusher(t, pushedWorld());
  const first = await push();
  assert.deepEqual([first.code, /warn/.test(first.stderr)], [0, false], first.stderr);
  const { type, environments, dependencies } = await stateOf(target, "checkout");
  assert.deepEqual([type, dependencies[0].feature], ["experiment", "parent"]);
  const production = environments.find(({ name }: { name: string }) => name === "production");
  assert.deepEqual(
    [production.enabled, production.strategies.map(({ title }: { title: string }) => title)],
    [true, ["Half", "Europe"]],
  );
  const { body } = await target.request("/api/admin/segments");
  const ids = ["Europe", "Ours"].map(
    (name) => body.segments.find((one: { name: string }) => one.name === name).id,
  );
  assert.deepEqual(production.strategies[1].segments.toSorted(), ids, "they have the ids of that server");
  assert.equal((await stateOf(target, "theirs")).archived, false, "what only it has stays");

  const second = await push();
  assert.equal(second.stdout, "");
  assert.match(second.stderr, /0 changes made/);
  assert.deepEqual(changesAsked(target), []);
});

test("what is to be off goes off first, what is to be on goes on last", async (t) => {
  const { target, push } = await pusher(t, pushedWorld());
  await push();
  const asked = changesAsked(target);
  assert.deepEqual(
    [asked[0], asked.filter((one) => one.endsWith("/off")).length],
    ["POST /api/admin/projects/default/features/checkout/environments/development/off", 1],
  );
  const on = asked.filter((one) => one.endsWith("/on"));
  assert.equal(on.length, 2);
  assert.deepEqual(asked.slice(-2), on);
});

test("--dry-run prints the plan and changes nothing", async (t) => {
  const { target, push } = await pusher(t, pushedWorld());
  const planned = await push("--dry-run");
  assert.match(planned.stdout, /^\+ flag parent\n/m);
  assert.match(planned.stdout, /^~ flag checkout, production: enabled false → true\n/m);
  assert.match(planned.stderr, /\d+ changes would be made/);
  assert.deepEqual(changesAsked(target), []);
  const { changes, left } = JSON.parse((await push("--dry-run", "--json")).stdout);
  assert.deepEqual([changes.length > 10, left], [true, []]);
});

test("an interrupted push goes on where it stopped", async (t) => {
  const { target, push } = await pusher(t, pushedWorld());
  let sent = 0;
  target.interfere = (request) => {
    const isCut = request.method !== "GET" && ++sent === 9;
    if (isCut) request.socket.destroy();
    return isCut;
  };
  const { code, stderr } = await push();
  assert.equal(code, 1);
  assert.match(stderr, /flagstone: http\S+ does not respond: .*; run the command again to go on\n/);
  const on = changesAsked(target).filter((one) => one.endsWith("/on"));
  assert.deepEqual(on, [], "nothing is on that is not complete");
  target.interfere = () => false;
  await push();
  assert.ok(changesAsked(target).length < 15, "what was done is not done again");
  assert.equal((await push()).stdout, "");
});

test("too many requests are waited for, and trouble says what to do", async (t) => {
  const { target, push } = await pusher(t, pushedWorld());
  let refusals = 0;
  const answerWith = (status: number, times: number) => {
    refusals = 0;
    target.interfere = (request, response) => {
      if (request.method === "GET" || refusals++ >= times) return false;
      response.writeHead(status, { "content-type": "application/json" }).end('{"message":"not now"}');
      return true;
    };
  };
  answerWith(503, 1);
  assert.match((await push()).stderr, /503 to \S+: not now; run the command again to go on/);
  answerWith(401, 1);
  assert.match((await push()).stderr, /it does not know the token/);
  answerWith(429, 1);
  const { code, stderr } = await push();
  assert.deepEqual([code, refusals > 1], [0, true]);
  assert.match(stderr, /429 .*trying again in 0.25 s/);
});

test("a flag that is not complete stays off", async (t) => {
  const { target, push } = await pusher(t, pushedWorld());
  target.interfere = (request, response) => {
    if (!(request.method === "POST" && request.url!.includes("/checkout/environments/production/strategies")))
      return false;
    response.writeHead(403, { "content-type": "application/json" }).end('{"message":"paid for"}');
    return true;
  };
  const { code, stderr } = await push();
  assert.equal(code, 0);
  assert.match(stderr, /the server refused it with 403: paid for/);
  assert.match(
    stderr,
    /1 change: stays as it is, since not all else of the flag was changed.*\n.*flag checkout in production/,
  );
  const { environments } = await stateOf(target, "checkout");
  assert.equal(environments.find(({ name }: { name: string }) => name === "production").enabled, false);
});

test("a flag that is on keeps its strategies until it has the new ones", async (t) => {
  const on = (strategy: object) =>
    createWorld()
      .project("default")
      .feature("checkout", "default", {
        environments: [{ name: "production", enabled: true, strategies: [strategy] }],
      });
  const { target, push } = await pusher(t, on({ name: "default", title: "New" }), on({ name: "userWithId" }));
  target.interfere = (request, response) => {
    if (request.method !== "POST") return false;
    response.writeHead(400, { "content-type": "application/json" }).end('{"message":"no"}');
    return true;
  };
  await push();
  assert.ok(!target.asked.some((one) => one.startsWith("DELETE ")));
  target.interfere = () => false;
  await push();
  const asked = changesAsked(target).map((one) => one.split(" ")[0]);
  assert.deepEqual(asked, ["POST", "DELETE"]);
});

test("a flag from the archive stays off until its strategies are known", async (t) => {
  const strategies = [{ name: "default", title: "Old" }];
  const archived = used().feature("parent", "default", {
    archivedAt: "2026-02-01T00:00:00.000Z",
    environments: [{ name: "development", enabled: true, strategies }],
  });
  const { target, push } = await pusher(t, pushedWorld(), archived);
  const titles = async () =>
    (await stateOf(target, "parent")).environments.map(
      (one: { enabled: boolean; strategies: Array<{ title: string }> }) => [
        one.enabled,
        one.strategies.map(({ title }) => title),
      ],
    );
  assert.match((await push()).stderr, /1 flag: comes from the archive.*\n.* {2}parent/);
  assert.deepEqual(await titles(), [
    [false, ["Old"]],
    [false, []],
  ]);
  await push();
  assert.deepEqual(await titles(), [
    [true, ["All"]],
    [false, []],
  ]);
});

test("a segment that could not be created is not confused with another one's id", async (t) => {
  const { target, push } = await pusher(t, pushedWorld());
  target.interfere = (request, response) => {
    if (request.method !== "POST" || !request.url!.startsWith("/api/admin/segments")) return false;
    response.writeHead(403).end();
    return true;
  };
  const { stderr } = await push();
  assert.match(stderr, /1 change: a segment of it could not be created/);
  const { environments } = await stateOf(target, "checkout");
  const { strategies } = environments.find(({ name }: { name: string }) => name === "production");
  assert.deepEqual(
    strategies.map(({ segments }: { segments: number[] }) => segments),
    [[]],
  );
});

test("a project that can't be created is named, with what would be in it", async (t) => {
  const { target, push } = await pusher(t, pushedWorld().project("shop").feature("till", "shop"));
  target.interfere = (request, response) => {
    if (request.method !== "POST" || request.url !== "/api/admin/projects") return false;
    response.writeHead(404, { "content-type": "application/json" });
    response.end('{"message":"The path you were looking for (/api/admin/projects) is not available."}');
    return true;
  };
  const { stderr } = await push();
  assert.match(stderr, /1 change: the server has no such operation, in this edition or version/);
  assert.match(stderr, /1 change: the project shop could not be created .*\n.* {2}flag till/);
  assert.ok(!changesAsked(target).some((one) => one.includes("/shop/")));
});

test("only the projects that are named are pushed, and one that is archived here is archived there", async (t) => {
  const world = pushedWorld().project("shop").feature("till", "shop");
  const { target, push } = await pusher(t, world, used().project("other").feature("gone", "default"));
  const { stdout } = await push("--project", "shop");
  assert.match(stdout, /^\+ flag till$/m);
  assert.ok(!stdout.includes("flag checkout"));
  await push("--project", "default");
  const { body } = await target.request("/api/admin/archive/features/default");
  assert.deepEqual(
    body.features.map(({ name }: { name: string }) => name),
    ["gone"],
  );
  assertRefused(await push("--project", "nope"), 3, "There is no project nope");
});

test("an environment that the server lacks is named, and the rest is pushed", async (t) => {
  const world = pushedWorld();
  const [header, ...lines] = world.lines.map((line) =>
    line.kind === "project" ? { ...line, environments: ["staging", "development", "production"] } : line,
  );
  const staging = { kind: "environment", name: "staging", type: "test" };
  const { push } = await pusher(t, { ...world, lines: [header!, staging, ...lines] });
  const { code, stdout, stderr } = await push();
  assert.equal(code, 0);
  assert.match(stderr, /1 environment: .*\n.* {2}staging of default/);
  assert.match(stdout, /^~ flag checkout, production: enabled false → true$/m);
});

test("a server has to be named", async (t) => {
  const data = await dataFile(t, createWorld().lines);
  assertRefused(
    await runHere(["push", "--data", data]),
    2,
    "push needs --to URL, the server to change",
    " push",
  );
});
