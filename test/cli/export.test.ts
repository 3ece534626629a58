import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { createWorld } from "../support/world.ts";
import {
  assertRefused,
  contentOf,
  dataFile,
  endAfter,
  NOBODY,
  runCli,
  runHere,
  serveHere,
  startCli,
  temporaryFolder,
} from "./run-cli.ts";

const world = () =>
  createWorld()
    .project("a")
    .feature("f", "a")
    .integration({ parameters: { url: "https://x.example", authorization: "hush" } })
    .event({ project: "a", data: { name: "Größe 🚦" } })
    .event().lines;

describe("export", { concurrency: 4 }, () => {
  test("it is written to standard output, masked, and identically to a file", async (t) => {
    const data = await dataFile(t, world());
    const target = path.join(path.dirname(data), "out.jsonl");
    const [shown, dashed, written] = await Promise.all([
      runCli(["export", "--data", data]),
      runCli(["export", "-", "--data", data]),
      runHere(["export", target, "--data", data]),
    ]);
    assert.deepEqual([shown.code, shown.stderr], [0, ""]);
    assert.deepEqual(dashed, shown);
    assert.equal(shown.stdout, contentOf(data, { withSecrets: false }));
    assert.ok(!shown.stdout.includes("hush"));
    assert.deepEqual([written.code, written.stdout], [0, ""]);
    assert.match(written.stderr, /info {2}exported to \S+out\.jsonl\n$/);
    assert.equal(fs.readFileSync(target, "utf8"), shown.stdout);
    assert.deepEqual(fs.readdirSync(path.dirname(data)), ["flags.db", "flags.db.key", "out.jsonl"]);
  });

  test("it includes the secrets of integrations on request", async (t) => {
    const data = await dataFile(t, world());
    const { stdout } = await runHere(["export", "--with-secrets", "--data", data]);
    assert.equal(stdout, contentOf(data));
    assert.ok(stdout.includes("hush"));
  });

  test("for Unleash, it says what will be lacking there, and which tokens to make anew", async (t) => {
    const data = await dataFile(t, world());
    const target = path.join(path.dirname(data), "out.sql");
    const result = await runHere(["export", "--as", "unleash", target, "--data", data]);
    assert.deepEqual([result.code, result.stdout], [0, ""]);
    assert.match(result.stderr, /warn {2}1 integration: is disabled, since its secrets are masked/);
    assert.match(result.stderr, /warn {2}\d tokens: .* make it anew.*\n.*warn {4}test \(user\)/);
    assert.match(fs.readFileSync(target, "utf8"), /^COPY public\.features /m);
    const refused = await runHere(["export", "--as", "unleash", "--project", "a", "--data", data]);
    assertRefused(refused, 2, "--project needs --as yaml", " export");
  });

  test("an export can be imported and exports identically again", async (t) => {
    const first = await runHere(["export", "--data", await dataFile(t, world())]);
    const data = path.join(temporaryFolder(t), "again.db");
    const imported = await runHere(["import", "-", "--data", data], { input: first.stdout });
    assert.equal(imported.code, 0, imported.stderr);
    assert.deepEqual(await runCli(["export", "--data", data]), first);
  });

  test("an existing file is never overwritten", async (t) => {
    const data = await dataFile(t, world());
    const target = path.join(path.dirname(data), "precious.txt");
    fs.writeFileSync(target, "precious");
    const result = await runHere(["export", target, "--data", data]);
    assertRefused(result, 1, `${target} already exists: name a new file`);
    assert.equal(fs.readFileSync(target, "utf8"), "precious");
  });

  test("the data file itself is refused as the target", async (t) => {
    const data = await dataFile(t, world());
    const before = contentOf(data);
    assert.equal((await runHere(["export", data, "--data", data])).code, 1);
    assert.equal(contentOf(data), before);
  });

  test("a target in a missing folder is refused, leaving nothing behind", async (t) => {
    const data = await dataFile(t, world());
    const target = path.join(path.dirname(data), "missing", "out.jsonl");
    const { code, stdout, stderr } = await runHere(["export", target, "--data", data]);
    assert.deepEqual([code, stdout], [1, ""]);
    const folder = path.dirname(target);
    assert.equal(stderr, `flagstone: The folder ${folder} does not exist: create it, or name another\n`);
    assert.deepEqual(fs.readdirSync(path.dirname(data)), ["flags.db", "flags.db.key"]);
  });

  test("a target in a read-only folder is refused with a clear message", async (t) => {
    const folder = temporaryFolder(t);
    fs.chmodSync(folder, 0o555);
    const target = path.join(folder, "out.jsonl");
    const result = await runCli(["demo", "--export", target], { uid: NOBODY });
    assertRefused(result, 1, `The folder ${folder} is not writable: change its permissions, or name another`);
  });

  test("a target that can't be created is refused with a clear message", {
    skip: process.platform !== "linux" && "needs a folder that takes no files",
  }, async (t) => {
    const data = await dataFile(t, world());
    const { code, stderr } = await runHere(["export", "/proc/out.jsonl", "--data", data]);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^flagstone: (\/proc\/out\.jsonl can't be written: there is no|The folder \/proc may not)/,
    );
    assert.doesNotMatch(stderr, /unfinished|EN|EA/);
  });

  test("a missing data file is refused and not created", async (t) => {
    const folder = temporaryFolder(t);
    const data = path.join(folder, "missing.db");
    const result = await runHere(["export", "--data", data]);
    assertRefused(result, 3, `There is no file ${data}: name the data file with --data`);
    assert.deepEqual(fs.readdirSync(folder), []);
  });

  test("a damaged data file is refused", async (t) => {
    const data = await dataFile(t, world());
    fs.truncateSync(data, 4096 * 20);
    const { code, stdout, stderr } = await runHere(["export", "--data", data]);
    assert.deepEqual([code, stdout], [3, ""]);
    assert.match(stderr, /is damaged: restore a backup/);
  });

  test("it works while the file is served", async (t) => {
    const data = await dataFile(t, world());
    const { stdout: before } = await runHere(["export", "--data", data]);
    await serveHere(t, ["serve", "--data", data]);
    assert.deepEqual(await runCli(["export", "--data", data]), { code: 0, stdout: before, stderr: "" });
  });

  test("it ends without a stack trace if the reader leaves early", async (t) => {
    const long = createWorld();
    for (let count = 0; count < 1000; count++) long.event({ data: { text: "x".repeat(1000) } });
    const running = startCli(["export", "--data", await dataFile(t, long.lines)]);
    endAfter(t, running);
    await running.until("the first line", ({ stdout }) => stdout.includes("\n"));
    running.child.stdout.destroy();
    const { code, stderr } = await running.ended;
    assert.notEqual(code, null, "not killed");
    assert.doesNotMatch(stderr, /\n +at /);
  });
});
