import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { CLI } from "../../src/access/actor.ts";
import { eventLine } from "../../src/cli/tail.ts";
import { close, open } from "../../src/db/open.ts";
import { write } from "../../src/events/write.ts";
import { openServer } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";
import { assertRefused, dataFile, startHere, temporaryFolder } from "./run-cli.ts";

const world = () =>
  createWorld()
    .project("a")
    .event({ project: "a", featureName: "one", type: "feature-created" })
    .event({ project: "b", featureName: "two", type: "feature-archived" })
    .event({ project: "a", featureName: "three", type: "feature-created" });

function start(t: TestContext, args: readonly string[], env: Record<string, string> = {}) {
  const running = startHere(t, ["tail", ...args], { env });
  const seen = (text: string) => running.until(text, ({ stdout }) => stdout.includes(text));
  const stop = () => {
    running.kill("SIGINT");
    return running.ended;
  };
  return { ...running, seen, stop };
}

test("it shows the newest events of a file, and each new one, whoever records it", async (t) => {
  const file = await dataFile(t, world().lines);
  const { seen, stop } = start(t, ["--data", file, "--last", "2"]);
  await seen("the flag three");
  const db = open(file);
  write(db, CLI, (tx) => tx.record({ type: "tag-created", data: { type: "simple", value: "red" } }));
  close(db);
  await seen("simple:red");
  const { code, stdout, stderr } = await stop();
  assert.deepEqual([code, stderr], [0, ""]);
  const [first, second, third, ...others] = stdout.split("\n");
  assert.equal(
    first,
    "2026-01-01T00:00:00Z  feature-archived              user1 archived the flag two in the project b",
  );
  assert.equal(
    second,
    "2026-01-01T00:00:00Z  feature-created               user1 created the flag three in the project a",
  );
  assert.match(third!, /^20.{17}Z {2}tag-created {19}cli created the tag simple:red$/);
  assert.deepEqual(others, [""]);
});

test("filters apply to old and new events; JSON is that of the API", async (t) => {
  const file = await dataFile(t, world().lines);
  const { seen, stop } = start(t, [
    "--data",
    file,
    "--json",
    "--project",
    "a",
    "--event",
    "feature-created",
    "--event",
    "feature-updated",
  ]);
  await seen("three");
  const db = open(file);
  for (const project of ["b", "a"])
    write(db, CLI, (tx) => tx.record({ type: "feature-updated", project, featureName: "last" }));
  close(db);
  await seen("last");
  const { stdout } = await stop();
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    events.map(({ id, project }) => [id, project]),
    [
      [1, "a"],
      [3, "a"],
      [5, "a"],
    ],
  );
});

/** A server whose connections can be cut. */
async function serve(t: TestContext) {
  const { listener, request } = await openServer(t, world());
  const server = http.createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const make = (name: string) =>
    request("/api/admin/projects/a/features", { method: "POST", body: { name } });
  return { server, make, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("a server's events are followed, even after a lost connection", async (t) => {
  const { server, make, url } = await serve(t);
  const { seen, stop } = start(t, [url, "-n", "1"], { FLAGSTONE_TOKEN: personal(2) });
  await seen("the flag three");
  await make("four");
  await seen("the flag four");
  server.closeAllConnections();
  await make("five");
  await seen("the flag five");
  const { code, stdout, stderr } = await stop();
  assert.equal(code, 0);
  assert.deepEqual(
    [...stdout.matchAll(/the flag (\w+)/g)].map(([, name]) => name),
    ["three", "four", "five"],
  );
  assert.match(stderr, /trying again in 1 second\n/);
});

test("the filter is sent to the server, and the token may be in a file", async (t) => {
  const { make, url } = await serve(t);
  const file = path.join(temporaryFolder(t), "token");
  fs.writeFileSync(file, `${personal(2)}\n`);
  const { seen, stop } = start(t, [
    url,
    "--token-file",
    file,
    "--feature",
    "two",
    "--feature",
    "six",
    "--json",
  ]);
  await seen('"two"');
  for (const name of ["five", "six"]) await make(name);
  await seen('"six"');
  const { stdout } = await stop();
  assert.equal(stdout.trimEnd().split("\n").length, 2);
});

test("it ends if the server refuses, or if there is none", async (t) => {
  const { url } = await serve(t);
  const refused = await start(t, [url], { FLAGSTONE_TOKEN: "nobody" }).ended;
  const why = "The token in the Authorization header is unknown or expired";
  assertRefused(refused, 1, `${url} responded with 401: ${why}`);
  const { code, stderr } = await start(t, ["http://127.0.0.1:1"], { FLAGSTONE_TOKEN: "nobody" }).ended;
  assert.deepEqual([code, stderr.includes("does not respond: nothing is listening there")], [1, true]);
});

test("it can be stopped while the server has not responded", async (t) => {
  const asked = Promise.withResolvers<void>();
  const silent = http.createServer(() => asked.resolve()).listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.after(() => silent.close());
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const { stop } = start(t, [url], { FLAGSTONE_TOKEN: personal(2) });
  await asked.promise;
  const { code, stderr } = await stop();
  assert.deepEqual([code, stderr], [0, ""]);
});

for (const [args, message] of [
  [["http://127.0.0.1"], "The server needs a token: set FLAGSTONE_TOKEN, or name a file with --token-file"],
  [["http://127.0.0.1", "--token-file", "/nowhere"], "--token-file: the file /nowhere can't be read"],
  [["--last", "-1"], "--last needs a value"],
  [["--last=ten"], '--last: "ten" must be a number from 0 to 999'],
  [["--event", "nonsense"], '--event: there is no event type "nonsense"'],
] as const) {
  test(`refused: tail ${args.join(" ")}`, async (t) => {
    assertRefused(await start(t, args).ended, 2, message, " tail");
  });
}

test("a name can neither forge a line nor add colours", () => {
  const event = { createdAt: "2026-01-01T00:00:00.123Z", type: "tag-created", label: "Tag created" };
  const summary = "**cli** created the tag **[red\u001b[31m\n](/x)**";
  assert.equal(
    eventLine({ ...event, summary }, true),
    "\u001b[2m2026-01-01T00:00:00Z\u001b[22m  \u001b[32mtag-created                 \u001b[39m  " +
      "\u001b[1mcli\u001b[22m created the tag \u001b[1mred\\u001b[31m\\n\u001b[22m",
  );
  assert.equal(eventLine({ ...event, summary: null }, false).endsWith("Tag created"), true);
});
