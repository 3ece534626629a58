import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { openServer } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";
import { assertRefused, contentOf, dataFile, linesOf, runHere } from "./run-cli.ts";

const world = () =>
  createWorld().project("default").project("shop").feature("sale", "shop", { type: "experiment" });

/** Runs `flag` commands on a file. */
async function onFile(t: TestContext, { lines } = world()) {
  const data = await dataFile(t, lines);
  return {
    data,
    flag: (...args: string[]) => runHere(["flag", ...args, "--data", data]),
    events: async () => linesOf(data).filter(({ kind }) => kind === "event"),
  };
}

/** The same on a server, as an Admin. */
async function onServer(t: TestContext, content = world()) {
  const { listener, request } = await openServer(t, content);
  const server = http.createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    flag: (...args: string[]) =>
      runHere(["flag", ...args, "--url", url], { env: { FLAGSTONE_TOKEN: personal(1) } }),
    events: async (): Promise<Array<Record<string, unknown>>> =>
      (await request("/api/admin/events")).body.events.reverse(),
  };
}

const WHERE = { "a file": onFile, "a server": onServer };

/** What both record, apart from who and when. */
const recorded = (events: Array<Record<string, unknown>>) =>
  events.map(({ type, project, environment, featureName }) => [type, project, environment, featureName]);

for (const [where, open] of Object.entries(WHERE)) {
  test(`on ${where}, a flag is created, listed, and turned on and off, as the API does it`, async (t) => {
    const { flag, events } = await open(t);
    const said = [
      await flag("create", "first", "--description", "One"),
      await flag("on", "first"),
      await flag("on", "sale", "--environment", "production"),
      await flag("list"),
      await flag("off", "first", "--environment", "development", "--json"),
      await flag("list", "--project", "default", "--json"),
    ];
    assert.deepEqual(
      said.map(({ code, stderr }) => [code, stderr]),
      said.map(() => [0, ""]),
    );
    const [created, on, sale, list, off, json] = said.map(({ stdout }) => stdout);
    assert.equal(created, "Created the flag first in the project default\n");
    assert.equal(on, "first is on in development\n");
    assert.equal(sale, "sale is on in production\n");
    assert.deepEqual(list!.trimEnd().split("\n"), [
      "name   type        project  on in",
      "first  release     default  development",
      "sale   experiment  shop     production",
    ]);
    assert.deepEqual(JSON.parse(off!), {
      name: "first",
      project: "default",
      environment: "development",
      enabled: false,
    });
    const [first, ...others] = JSON.parse(json!);
    assert.deepEqual([first.name, first.description, others], ["first", "One", []]);
    assert.deepEqual(recorded(await events()), [
      ["feature-created", "default", null, "first"],
      ["feature-strategy-add", "default", "development", "first"],
      ["feature-environment-enabled", "default", "development", "first"],
      ["feature-strategy-add", "shop", "production", "sale"],
      ["feature-environment-enabled", "shop", "production", "sale"],
      ["feature-environment-disabled", "default", "development", "first"],
    ]);
  });

  test(`on ${where}, more flags than a page has are listed, and one of them is found`, async (t) => {
    const many = world();
    for (let index = 0; index < 105; index++) many.feature(`flag-${index}`, "shop");
    const { flag } = await open(t, many);
    const { stdout } = await flag("list");
    assert.equal(stdout.trimEnd().split("\n").length, 1 + 106);
    assert.equal((await flag("on", "flag-9")).stdout, "flag-9 is on in development\n");
  });

  for (const [args, code, message] of [
    [["create", "sale"], 1, "There is already a flag with this name"],
    [["create", "a b"], 2, "flagstone: name: must be URL friendly"],
    [["create", "x", "--project", "nowhere"], 1, "There is no project nowhere"],
    [["create", "x", "--type", "odd"], 2, "flagstone: --type: "],
    [["list", "--project", "nowhere"], 1, "There is no project nowhere"],
    [["on", "sael"], 1, "There is no flag sael: did you mean sale?"],
    [["off", "anything"], 1, "There is no flag anything: list the flags with flagstone flag list"],
    [
      ["on", "sale", "--environment", "prod"],
      2,
      "--environment: prod must be one of development, production",
    ],
  ] as const) {
    test(`on ${where}, flag ${args.join(" ")} is refused and records nothing`, async (t) => {
      const { flag, events } = await open(t);
      const result = await flag(...args);
      assert.deepEqual([result.code, result.stdout], [code, ""]);
      assert.ok(result.stderr.includes(message), result.stderr);
      assert.deepEqual(await events(), []);
    });
  }
}

test("on a file, the changes are recorded as the command line's", async (t) => {
  const { flag, events } = await onFile(t);
  await flag("create", "first");
  const [event] = await events();
  assert.deepEqual([event?.createdBy, event?.createdByUserId], ["cli", null]);
});

test("a server decides who may do what", async (t) => {
  const { url, events } = await onServer(t);
  const asViewer = (...args: string[]) => runHere(args, { env: { FLAGSTONE_TOKEN: personal(3) } });
  const { code, stderr } = await asViewer("flag", "on", "sale", "--url", url);
  assert.equal(code, 1);
  assert.ok(stderr.includes(`${url} responded with 403: `), stderr);
  assert.deepEqual(await events(), []);
});

test("a file or a server, but not both, and a server needs a token", async (t) => {
  const { data } = await onFile(t);
  const before = contentOf(data);
  const both = ["flag", "on", "sale", "--data", data, "--url", "http://127.0.0.1:1"];
  assertRefused(
    await runHere(both),
    2,
    "--url and --data contradict each other: give one of them",
    " flag on",
  );
  const noToken = await runHere(["flag", "list", "--url", "http://127.0.0.1:1"]);
  const needs = "The server needs a token: set FLAGSTONE_TOKEN, or name a file with --token-file";
  assertRefused(noToken, 2, needs, " flag list");
  const noServer = await runHere(["flag", "list", "--url", "http://127.0.0.1:1"], {
    env: { FLAGSTONE_TOKEN: "x" },
  });
  const missing = "nothing is listening there: start it with flagstone serve";
  assertRefused(noServer, 1, `http://127.0.0.1:1 does not respond: ${missing}`);
  assert.equal(contentOf(data), before);
});

test("where the environment asks before changes, a terminal is asked, and a script passes --yes", async (t) => {
  const asking = { type: "production", askBeforeChange: true };
  const { data, flag } = await onFile(
    t,
    world()
      .environment("prod", asking)
      .project("p", { environments: ["prod"] })
      .feature("f", "p"),
  );
  const on = ["flag", "on", "f", "--environment", "prod", "--data", data];
  assertRefused(
    await runHere(on),
    2,
    "Turn f on in prod? The environment asks before changes: pass --yes",
    " flag on",
  );
  for (const input of ["n\n", "\n", ""]) {
    const { code, stderr } = await runHere(on, { isTTY: true, input });
    assert.deepEqual(
      [code, stderr.includes("Turn f on in prod? [y/N]"), /Nothing was changed/.test(stderr)],
      [1, true, true],
    );
  }
  assert.match((await runHere(on, { isTTY: true, input: "y\n" })).stdout, /f is on in prod/);
  assert.equal((await flag("off", "f", "--environment", "prod", "--yes")).code, 0);
});

test("the versions of a flag are printed, newest first, and who last changed what it has", async (t) => {
  for (const { flag } of [await onFile(t), await onServer(t)]) {
    await flag("on", "sale", "--environment", "production");
    const { stdout } = await flag("history", "sale");
    assert.match(stdout, /^\d+ {2}20\S+ {2}\S+\n( {2}.+\n)* {2}\S+ enabled the flag sale/m);
    assert.match(stdout, /^ {4}environments\.production\.enabled false → true$/m);
    const blame = await flag("history", "sale", "--blame");
    assert.match(blame.stdout, /^environments\.production\.enabled {2}\S+ {2}20\S+ {2}\(event \d+\)$/m);
    const { versions } = JSON.parse((await flag("history", "sale", "--limit", "1", "--json")).stdout);
    assert.equal(versions.length, 1);
    await flag("off", "sale", "--environment", "production");
    const older = await flag("history", "sale", "--before", String(versions[0].id));
    assert.doesNotMatch(older.stdout, /→ true/);
  }
});

test("what has happened since is undone, first only in words", async (t) => {
  for (const { flag, ...rest } of [await onFile(t), await onServer(t)]) {
    const place = "data" in rest ? ["--data", rest.data] : ["--url", rest.url];
    const undo = (...args: string[]) =>
      runHere(["undo", ...args, ...place], { env: { FLAGSTONE_TOKEN: personal(1) } });
    await flag("on", "sale", "--environment", "production");
    const [event] = (await rest.events()).slice(-1);
    await flag("off", "sale", "--environment", "production");
    const since = ["--flag", "sale", "--since", String(event!.id)];
    const { stdout } = await undo(...since, "--dry-run");
    assert.match(stdout, /^\S+ enabled the flag sale in the environment production in the project shop$/m);
    assert.match((await undo(...since)).stdout, /\(undoing event \d+\)$/m);
    assert.equal((await undo(...since)).stdout, "Nothing to undo\n");
    assert.match((await undo(String(event!.id))).stdout, /disabled the flag sale/);
    const neither = "Name an event or, with --since, since when to undo; not both";
    assertRefused(await undo(), 2, neither, " undo");
    assertRefused(await undo(String(event!.id), ...since), 2, neither, " undo");
    assertRefused(await undo("sale"), 2, "EVENT: sale is not the id of an event", " undo");
    const vague = await undo("--flag", "sale", "--since", "yesterday");
    assert.deepEqual(
      [vague.code, /^flagstone: --since: must be/.test(vague.stderr)],
      [2, true],
      vague.stderr,
    );
    const unclear = await undo("--since", "0", "--segment", "77", "--project", "shop");
    assert.match(unclear.stderr, /project: names the project of a flag or an environment, unless a segment/);
    assert.equal((await undo("--since", "0", "--segment", "77")).stdout, "Nothing to undo\n");
  }
});
