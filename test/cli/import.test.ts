import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import Sqlite from "better-sqlite3";
import { until } from "../support/receiver.ts";
import { importLines } from "../support/server.ts";
import { createWorld } from "../support/world.ts";
import {
  assertRefused,
  contentOf,
  dataFile,
  endAfter,
  linesOf,
  NOBODY,
  runCli,
  runHere,
  startCli,
  temporaryFolder,
} from "./run-cli.ts";

const toText = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");
const WORLD = toText(createWorld().project("a").feature("f", "a").event().event().lines);
const HEADER = { kind: "dataset", version: 1 };
const BAD = toText([HEADER, { kind: "tagType", name: "good" }, { kind: "tagType", nome: "bad" }]);

describe("import", { concurrency: 4 }, () => {
  // Runs first, because it waits as long as the program does.
  test("a file that stays locked is refused with a clear message", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const db = new Sqlite(data);
    t.after(() => db.close());
    db.exec("BEGIN IMMEDIATE");
    const result = await runCli(["import", "-", "--data", data], { input: WORLD });
    const wait = "wait for it to finish, then try again";
    assertRefused(result, 3, `${data} is locked by another process: ${wait}`);
  });

  test("a file is imported, with a count of what was stored", async (t) => {
    const folder = temporaryFolder(t);
    const [source, data] = [path.join(folder, "in.jsonl"), path.join(folder, "flags.db")];
    fs.writeFileSync(source, WORLD);
    const { code, stdout, stderr } = await runHere(["import", source, "--data", data]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(stdout.trimEnd().split("\n"), [
      "        2 environment",
      "        4 user",
      "        7 token",
      "        1 tagType",
      "        1 project",
      "        1 feature",
      "        2 event",
    ]);
    assert.match(stderr, /^2\S+Z info {2}imported 18 lines source=\S+in.jsonl data=\S+flags.db by=.+\n$/);
    assert.deepEqual(fs.readdirSync(folder), ["flags.db", "in.jsonl"], "closed, with nothing left over");
    assert.equal(linesOf(data).filter((line) => line.kind === "user").length, 4);
  });

  test("standard input is imported, with the counts as JSON", async (t) => {
    const data = path.join(temporaryFolder(t), "flags.db");
    const { code, stdout } = await runHere(["import", "-", "--json", "--data", data], { input: WORLD });
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).token, 7);
    assert.equal(stdout.split("\n").length, 2, "one line");
    assert.equal(linesOf(data).length, 1 + 18 + 1, "with a seal of the events");
  });

  test("a JSON log line reports what was imported, without secrets", async (t) => {
    const data = path.join(temporaryFolder(t), "flags.db");
    const args = ["import", "-", "--log-format", "json", "--data", data];
    const { stderr } = await runHere(args, { input: WORLD });
    const { time, by, ...line } = JSON.parse(stderr);
    assert.ok(Date.parse(time) <= Date.now());
    assert.match(by, /./);
    assert.deepEqual(line, { level: "info", message: "imported 18 lines", source: "-", data });
  });

  test("it adds to the contents of a file", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const before = contentOf(data);
    const input = toText([HEADER, { kind: "tagType", name: "another" }]);
    const { code, stderr } = await runHere(["import", "-", "--data", data], { input });
    assert.equal(code, 0);
    assert.match(stderr, /imported 1 line /);
    assert.deepEqual(
      contentOf(data)
        .split("\n")
        .filter((line) => !before.includes(line)),
      ['{"kind":"tagType","name":"another"}'],
    );
  });

  test("a rejected import leaves no new file", async (t) => {
    const folder = temporaryFolder(t);
    const result = await runHere(["import", "-", "--data", path.join(folder, "flags.db")], { input: BAD });
    assertRefused(result, 3, "line 3: name: is missing");
    assert.deepEqual(fs.readdirSync(folder), []);
  });

  test("a rejected import leaves an existing file unchanged", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const before = contentOf(data);
    const result = await runHere(["import", "-", "--data", data], { input: BAD });
    assertRefused(result, 3, "line 3: name: is missing");
    assert.equal(contentOf(data), before);
    assert.deepEqual(fs.readdirSync(path.dirname(data)), ["flags.db"]);
  });

  test("a rejected import leaves an existing empty file", async (t) => {
    const data = path.join(temporaryFolder(t), "flags.db");
    fs.writeFileSync(data, "");
    assert.equal((await runHere(["import", "-", "--data", data], { input: BAD })).code, 3);
    assert.deepEqual(fs.readdirSync(path.dirname(data)), ["flags.db"]);
  });

  test("a rejected import leaves a new file that another process has opened meanwhile", async (t) => {
    const data = path.join(temporaryFolder(t), "flags.db");
    const running = startCli(["import", "-", "--data", data]);
    endAfter(t, running);
    running.child.stdin.write(toText([HEADER]));
    await until(() => isMadeAndLocked(data));
    const db = new Sqlite(data); // like a server that starts now
    t.after(() => db.close());
    assert.equal(db.prepare("SELECT count(*) FROM users").pluck().get(), 0);
    running.child.stdin.end("{}");
    assert.equal((await running.ended).code, 3);
    assert.ok(fs.existsSync(data), "the file in use stays");
    await importLines(db, [HEADER, { kind: "tagType", name: "kept" }]);
    assert.equal(linesOf(data).at(-1)?.name, "kept");
  });

  test("an empty input is refused", async (t) => {
    const folder = temporaryFolder(t);
    const result = await runHere(["import", "-", "--data", path.join(folder, "flags.db")]);
    assertRefused(result, 3, "line 1: the file is empty");
    assert.deepEqual(fs.readdirSync(folder), []);
  });

  test("a missing source is refused before a data file is created", async (t) => {
    const folder = temporaryFolder(t);
    const source = path.join(folder, "missing.jsonl");
    const result = await runHere(["import", source, "--data", path.join(folder, "flags.db")]);
    assertRefused(result, 3, `There is no file ${source}`);
    assert.deepEqual(fs.readdirSync(folder), []);
  });

  // The source fails after the data file, when nobody reads it any more.
  test("if both source and data file fail, the error names only the data file", async (t) => {
    const folder = temporaryFolder(t);
    const [source, data] = [path.join(folder, "in.jsonl"), path.join(folder, "none", "flags.db")];
    fs.writeFileSync(source, WORLD, { mode: 0o000 });
    fs.chmodSync(folder, 0o755);
    const { code, stderr } = await runCli(["import", source, "--data", data], { uid: NOBODY });
    assert.equal(code, 3);
    assert.match(stderr, /^flagstone: The folder \S+ does not exist: [^\n]+\n$/);
  });

  test("a folder as the source is refused as such", async (t) => {
    const folder = temporaryFolder(t);
    const { code, stderr } = await runHere(["import", folder, "--data", path.join(folder, "flags.db")]);
    assert.equal(code, 3);
    assert.match(stderr, /is a folder/);
    assert.deepEqual(fs.readdirSync(folder), []);
  });

  test("a file that is not a database is refused and kept", async (t) => {
    const data = path.join(temporaryFolder(t), "notes.txt");
    fs.writeFileSync(data, "my notes\n".repeat(1000));
    const result = await runCli(["import", "-", "--data", data], { input: WORLD });
    assertRefused(result, 3, `${data} is not a database: name another file with --data`);
    assert.equal(fs.readFileSync(data, "utf8"), "my notes\n".repeat(1000));
  });

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    test(`${signal} stops it, leaving nothing of a new file`, async (t) => {
      const data = path.join(temporaryFolder(t), "flags.db");
      const running = startCli(["import", "-", "--data", data]);
      running.child.stdin.write(WORLD);
      await until(() => isMadeAndLocked(data));
      running.child.kill(signal);
      const { code, stderr } = await running.ended;
      assert.deepEqual([code, stderr], [1, `flagstone: Stopped by ${signal}: nothing was imported\n`]);
      assert.deepEqual(fs.readdirSync(path.dirname(data)), []);
    });
  }

  for (const [name, hasWriter] of [
    ["without a writer", false],
    ["whose writer stays silent", true],
  ] as const) {
    test(`waiting for a named pipe ${name} can be interrupted too`, async (t) => {
      const folder = temporaryFolder(t);
      const pipe = path.join(folder, "pipe");
      execFileSync("mkfifo", [pipe]);
      const writer = spawn("sh", ["-c", hasWriter ? 'exec sleep 60 > "$0"' : "exit", pipe]);
      t.after(() => writer.kill());
      const data = path.join(folder, "flags.db");
      const running = startCli(["import", pipe, "--data", data]);
      endAfter(t, running);
      await until(() => isMadeAndLocked(data));
      running.child.kill("SIGTERM");
      const { code, stderr } = await running.ended;
      assert.deepEqual([code, stderr], [1, "flagstone: Stopped by SIGTERM: nothing was imported\n"]);
    });
  }

  test("a named pipe is read to the end", async (t) => {
    const folder = temporaryFolder(t);
    const [pipe, data] = [path.join(folder, "pipe"), path.join(folder, "flags.db")];
    execFileSync("mkfifo", [pipe]);
    const running = startCli(["import", pipe, "--data", data]);
    endAfter(t, running);
    await fs.promises.writeFile(pipe, WORLD);
    assert.equal((await running.ended).code, 0);
    assert.match(running.output.stderr, /imported 18 lines /);
  });

  test("four concurrent imports into one new file are all stored", async (t) => {
    const data = path.join(temporaryFolder(t), "flags.db");
    const names = ["a", "b", "c", "d"];
    const results = await Promise.all(
      names.map((name) =>
        runCli(["import", "-", "--data", data], { input: toText([HEADER, { kind: "tagType", name }]) }),
      ),
    );
    assert.deepEqual(
      results.map(({ code }) => code),
      [0, 0, 0, 0],
    );
    assert.deepEqual(
      linesOf(data)
        .slice(1)
        .map((line) => line.name),
      names,
    );
  });
});

/** Whether another process has created the file and holds the write lock. */
function isMadeAndLocked(file: string) {
  if (!fs.existsSync(file)) return false;
  const db = new Sqlite(file, { timeout: 0 });
  let isMade = false;
  try {
    isMade = db.pragma("user_version", { simple: true }) !== 0;
    if (isMade) db.exec("BEGIN IMMEDIATE");
    return false;
  } catch (error) {
    if (error instanceof Sqlite.SqliteError && error.code.startsWith("SQLITE_BUSY")) return isMade;
    throw error;
  } finally {
    db.close();
  }
}
