import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { endAfter, linesOf, runCli, runHere, startCli, temporaryFolder } from "./run-cli.ts";

const SHOP = path.join(import.meta.dirname, "../samples/shop");

/** Its project and context field do not exist yet. */
const PROJECT = `
version: 1
project: shop
flags:
  on:
    environments:
      development:
        enabled: true
        strategies:
          - name: default
            constraints: [{ contextName: country, operator: NOT_IN, values: [NO] }]
  off: {}
`;

/** A command that writes part of a response to a file; its environment has the URL and the token. */
const asking = (file: string, url: string, token: string, what = "text()") => [
  "--",
  process.execPath,
  "-e",
  `fetch(process.env.${url}, { headers: { authorization: process.env.${token} } })
    .then(async (response) => fs.writeFileSync(${JSON.stringify(file)}, String(await response.${what})))`,
];

describe("flagstone run", { concurrency: true }, () => {
  test("the tests of a project run with their flags", async () => {
    const { code, stdout, stderr } = await runCli(["run", "--seed", "flags.json", "--", "npm", "test"], {
      cwd: SHOP,
    });
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /pass 2/);
  });

  test("the exit code is that of the command", async () => {
    const { code, stdout } = await runHere(["run", "--", process.execPath, "-e", "process.exit(7)"]);
    assert.deepEqual({ code, stdout }, { code: 7, stdout: "" });
  });

  test("a signal is passed on, and the command's reaction is reported", async (t) => {
    const script = `process.on("SIGTERM", () => process.exit(5)); setInterval(() => {}, 1000); console.log("ready")`;
    const running = startCli(["run", "--", process.execPath, "-e", script]);
    endAfter(t, running);
    await running.until("the command", ({ stdout }) => stdout.includes("ready"));
    running.child.kill("SIGTERM");
    assert.equal((await running.ended).code, 5);
  });

  test("a command killed by a signal", async () => {
    const { code } = await runHere([
      "run",
      "--",
      process.execPath,
      "-e",
      "process.kill(process.pid, 'SIGKILL')",
    ]);
    assert.equal(code, 137);
  });

  test("a command that does not exist", async () => {
    assert.deepEqual(await runHere(["run", "no-such-command"]), {
      code: 127,
      stdout: "",
      stderr: "flagstone: no-such-command can't be run: there is no such file or folder\n",
    });
  });

  test("no command", async () => {
    const { code, stderr } = await runHere(["run", "--seed", "x"]);
    assert.equal(code, 2);
    assert.match(stderr, /run needs -- COMMAND, for example: flagstone run /);
  });

  test("each URL responds to its token", async (t) => {
    for (const [url, token] of [
      ["UNLEASH_URL + '/client/features'", "UNLEASH_API_TOKEN"],
      ["UNLEASH_FRONTEND_URL", "UNLEASH_FRONTEND_TOKEN"],
      ["FLAGSTONE_URL + '/api/admin/projects'", "UNLEASH_ADMIN_TOKEN"],
    ] as const) {
      const file = path.join(temporaryFolder(t), "status");
      const { stderr } = await runHere(["run", ...asking(file, url, token, "status")]);
      assert.equal(fs.readFileSync(file, "utf8"), "200", stderr);
    }
  });

  test("options after the dashes belong to the command", async () => {
    const script = "console.log(process.argv[1])";
    const { code, stdout } = await runCli(["run", "--", process.execPath, "-e", script, "--", "--help"]);
    assert.deepEqual([code, stdout], [0, "--help\n"]);
  });

  test("a file stores the flags, but no token", async (t) => {
    const folder = temporaryFolder(t);
    const [seed, file] = [path.join(folder, "seed.json"), path.join(folder, "flags.db")];
    fs.writeFileSync(seed, '{"cart": true}');
    for (const _ of [1, 2]) {
      const { code, stderr } = await runHere([
        ...["run", "--seed", seed, "--file", file],
        ...["--", process.execPath, "-e", ""],
      ]);
      assert.deepEqual([code, stderr], [0, ""]);
    }
    const lines = linesOf(file);
    assert.deepEqual(
      lines.filter(({ kind }) => kind === "feature" || kind === "token").map(({ name }) => name),
      ["cart"],
    );
  });
});

describe("flagstone run --watch", () => {
  const asksAgain = `
    let last;
    setInterval(async () => {
      const headers = { authorization: process.env.UNLEASH_FRONTEND_TOKEN };
      const { toggles } = await (await fetch(process.env.UNLEASH_FRONTEND_URL, { headers })).json();
      const names = toggles.map(({ name }) => name).join();
      if (names !== last) console.log("on: " + names);
      last = names;
    }, 20)`;

  test("reads the flags again when the seed changes, and keeps the old ones while it is invalid", async (t) => {
    const seed = path.join(temporaryFolder(t), "seed.json");
    fs.writeFileSync(seed, '{"cart": true}');
    const command = [process.execPath, "-e", asksAgain];
    const running = startCli(["run", "--seed", seed, "--watch", "--", ...command]);
    endAfter(t, running);
    await running.until("the first", ({ stdout }) => stdout.endsWith("on: cart\n"));
    fs.writeFileSync(seed, '{"cart": ');
    await running.until("the error", ({ stderr }) => stderr.includes("seed.json"));
    fs.writeFileSync(seed, '{"menu": {"enabled": true, "variant": "red"}, "cart": false}');
    await running.until("the second", ({ stdout }) => stdout.endsWith("on: menu\n"));
    running.child.kill("SIGTERM");
    await running.ended;
    assert.doesNotMatch(running.output.stdout, /on: \n/, "never without flags");
  });

  for (const [args, message] of [
    [[], "--watch needs a --seed file to watch"],
    [["--seed", "x", "--file", "y"], "--watch replaces all flags: omit --file"],
  ] as const)
    test(`fails: ${message}`, async () => {
      const { code, stderr } = await runHere(["run", "--watch", ...args, "--", "true"]);
      assert.equal(code, 2);
      assert.ok(stderr.includes(message), stderr);
    });
});

describe("a seed", () => {
  const tries = async (content: string | Buffer, t: TestContext) => {
    const folder = temporaryFolder(t);
    const [seed, answer] = [path.join(folder, "seed"), path.join(folder, "answer")];
    fs.writeFileSync(seed, content);
    const command = asking(answer, "UNLEASH_FRONTEND_URL", "UNLEASH_FRONTEND_TOKEN");
    return { answer, ...(await runHere(["run", "--seed", seed, ...command])) };
  };

  for (const [name, content, flags] of [
    ["a map", '{"on": true, "off": false, "proxy": {"enabled": true, "variant": "blue"}}', ["on", "proxy"]],
    ["flags as SDKs read them", '{"version":1,"features":[{"name":"on","enabled":true}]}', ["on"]],
    [
      "a dataset",
      ['{"kind":"dataset","version":1}', '{"kind":"environment","name":"test","type":"test"}'].join("\n"),
      [],
    ],
    ["nothing", "{}", []],
    ["a project as for apply", PROJECT, ["on"]],
    [
      "the same as JSON",
      '{"version":1,"project":"default","flags":{"on":{"environments":{"development":{"enabled":true}}}}}',
      ["on"],
    ],
  ] as const) {
    test(`may be ${name}`, async (t) => {
      const { answer, stderr } = await tries(content, t);
      assert.equal(stderr, "");
      const { toggles } = JSON.parse(fs.readFileSync(answer, "utf8"));
      assert.deepEqual(
        toggles.map((toggle: { name: string }) => toggle.name),
        flags,
      );
    });
  }

  for (const [content, message] of [
    ['{"cart": 5}', /cart: must be true, false, or an object/],
    ['{"features": [{"name": "cart"}]}', /features\.0\.enabled: is missing/],
    ['{"features": [{"name": "", "enabled": true}]}', /features\.0\.name: must not be empty/],
    ["[]", /is not a dataset/],
    ["", /the file is empty/],
    [Buffer.from([0xff, 0xfe, 0x00]), /./],
    ['{"kind":"dataset","version":2}', /version: must be 1/],
    ["version: 2\nproject: shop\n", /version must be 1/],
    [
      "version: 1\nproject: shop\nflags: {on: {environments: {moon: {enabled: true}}}}",
      /no environment moon/,
    ],
  ] as const) {
    test(`${String(content).slice(0, 40) || "empty"} is refused`, async (t) => {
      const { answer, code, stderr } = await tries(content, t);
      assert.deepEqual([code, fs.existsSync(answer)], [3, false]);
      assert.match(stderr, message);
    });
  }
});
