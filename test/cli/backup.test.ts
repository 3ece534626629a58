import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { toSingleFile } from "../../src/db/backup.ts";
import type { Finding } from "../../src/db/check.ts";
import { createWorld } from "../support/world.ts";
import {
  assertRefused,
  contentOf,
  dataFile,
  NOBODY,
  runCli,
  runHere,
  serveHere,
  startServer,
  temporaryFolder,
} from "./run-cli.ts";

const beside = (file: string) => fs.readdirSync(path.dirname(file)).sort();

describe("backup, restore, compact, doctor", { concurrency: 4 }, () => {
  test("a backup of a served file is one file with the same content", async (t) => {
    const data = await dataFile(t, createWorld().project("a").event().lines);
    const target = path.join(temporaryFolder(t), "backup.db");
    await serveHere(t, ["serve", "--data", data]);
    const { code, stdout } = await runHere(["backup", target, "--data", data]);
    assert.equal(code, 0);
    assert.match(stdout, /checked/);
    assert.deepEqual(beside(target), ["backup.db"]);
    assert.equal(contentOf(target), contentOf(data));
  });

  test("a backup never overwrites a file", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const target = path.join(temporaryFolder(t), "backup.db");
    fs.writeFileSync(target, "mine");
    const { code, stderr } = await runHere(["backup", target, "--data", data]);
    assert.equal(code, 1);
    assert.match(stderr, /already exists/);
    assert.equal(fs.readFileSync(target, "utf8"), "mine");
  });

  test("a backup is restored, and the previous file is kept beside it", async (t) => {
    const data = await dataFile(t, createWorld().project("now").lines);
    const old = await dataFile(t, createWorld().project("then").lines);
    const [before, wanted] = [contentOf(data), contentOf(old)];
    const { code, stdout } = await runHere(["restore", old, "--data", data]);
    assert.equal(code, 0);
    assert.equal(contentOf(data), wanted);
    const aside = /The previous file is kept as (.+)\n/.exec(stdout)![1]!;
    assert.equal(contentOf(aside), before);
  });

  test("a file that is not a backup is refused, and nothing changes", async (t) => {
    const data = await dataFile(t, createWorld().project("a").lines);
    const before = contentOf(data);
    const text = path.join(temporaryFolder(t), "notes.txt");
    fs.writeFileSync(text, "notes ".repeat(200));
    const { code, stderr } = await runHere(["restore", text, "--data", data]);
    assert.equal(code, 3);
    assert.match(stderr, /notes\.txt is not a Flagstone backup\n/);
    assert.equal(contentOf(data), before);
    assert.deepEqual(beside(data), [path.basename(data)]);
  });

  test("the error names the damaged backup, or the missing folder", async (t) => {
    const [data, old] = [await dataFile(t, createWorld().lines), await dataFile(t, createWorld().lines)];
    fs.truncateSync(old, 4096 * 20);
    const damaged = await runHere(["restore", old, "--data", data]);
    assertRefused(damaged, 3, `${old} is damaged: restore another backup`);
    const missing = path.join(path.dirname(data), "missing");
    const nowhere = await runHere(["restore", data, "--data", path.join(missing, "flags.db")]);
    assertRefused(nowhere, 1, `The folder ${missing} does not exist: create it, or name another`);
  });

  test("the error names a backup that is not readable", async (t) => {
    const [data, old] = [await dataFile(t, createWorld().lines), await dataFile(t, createWorld().lines)];
    fs.chmodSync(old, 0);
    fs.chmodSync(path.dirname(data), 0o777);
    fs.chmodSync(path.dirname(old), 0o755);
    fs.chmodSync(data, 0o666);
    const result = await runCli(["restore", old, "--data", data], { uid: NOBODY });
    assertRefused(result, 3, `${old} can't be read: permission denied`);
  });

  test("a served file can't be restored, compacted or served twice, and the error names the process", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const { child } = await startServer(t, ["serve", "--data", data]);
    for (const args of [["restore", data], ["compact"], ["serve", "--port", "0"]]) {
      const { code, stderr } = await runHere([...args, "--data", data]);
      assert.equal(code, 3, args[0]);
      assert.match(stderr, new RegExp(`by a server, process ${child.pid}`));
    }
  });

  test("a killed server leaves no lock behind", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const { child, ended } = await startServer(t, ["serve", "--data", data]);
    child.kill("SIGKILL");
    await ended;
    assert.equal((await runHere(["compact", "--data", data])).code, 0);
    const next = await startServer(t, ["serve", "--data", data]);
    assert.equal((await next.stop()).code, 0);
    assert.deepEqual(beside(data), [path.basename(data)]);
  });

  test("compact shrinks a file that held more, and keeps its content", async (t) => {
    const world = createWorld();
    for (let count = 0; count < 3000; count++) world.event({ data: { text: "x".repeat(500) } });
    const data = await dataFile(t, world.lines);
    const { default: Sqlite } = await import("better-sqlite3");
    const db = new Sqlite(data);
    db.exec("DELETE FROM events WHERE id > 10");
    db.close();
    const before = contentOf(data);
    const size = fs.statSync(data).size;
    assert.equal((await runHere(["compact", "--data", data])).code, 0);
    assert.ok(fs.statSync(data).size < size / 2);
    assert.equal(contentOf(data), before);
  });

  test("compact reports a missing file as the other commands do", async (t) => {
    const data = path.join(temporaryFolder(t), "nothere.db");
    const result = await runHere(["compact", "--data", data]);
    assertRefused(result, 3, `There is no file ${data}: name the data file with --data`);
  });

  test("doctor recognizes a folder", async (t) => {
    const folder = temporaryFolder(t);
    const { code, stdout } = await runHere(["doctor", "--data", folder]);
    assert.deepEqual([code, stdout], [3, `FAIL   file: ${folder} is a folder: name a file with --data\n`]);
  });

  test("doctor finds nothing wrong in a good file and changes nothing", async (t) => {
    const data = await dataFile(t, createWorld().project("a").event().lines);
    const bytes = fs.readFileSync(data);
    const { code, stdout } = await runHere(["doctor", "--data", data]);
    assert.equal(code, 0);
    assert.ok(stdout.split("\n").length > 6 && !stdout.includes("FAIL"), stdout);
    assert.ok(bytes.equals(fs.readFileSync(data)));
    assert.deepEqual(beside(data), [path.basename(data)]);
  });

  for (const [what, damage, finding] of [
    ["a lost search text", "DELETE FROM event_searches", "search index"],
    ["a wrong total", "UPDATE event_totals SET count = count + 1", "totals"],
    ["a lost table", "DROP TABLE notifications", "tables"],
    ["a newer version", "PRAGMA user_version = 999", "version"],
    ["another program's mark", "PRAGMA application_id = 1", "kind of file"],
  ] as const) {
    test(`doctor finds ${what}`, async (t) => {
      const data = await dataFile(t, createWorld().event().lines);
      const { default: Sqlite } = await import("better-sqlite3");
      const db = new Sqlite(data);
      db.pragma("foreign_keys = OFF");
      db.exec(damage);
      db.close();
      const { code, stdout, stderr } = await runHere(["doctor", "--data", data]);
      assert.equal(code, 3);
      assert.match(stdout, new RegExp(`^FAIL   ${finding}: `, "m"));
      assert.match(stderr, new RegExp(`^flagstone: ${data} has problems: .*${finding}`));
      assert.doesNotMatch(stdout + stderr, /sqlite|SELECT/i);
    });
  }

  test("doctor reports everything it finds, also as JSON", async (t) => {
    const data = await dataFile(t, createWorld().event().lines);
    const { default: Sqlite } = await import("better-sqlite3");
    const db = new Sqlite(data);
    db.exec(
      "DROP TABLE notifications; UPDATE event_totals SET count = count + 1; DELETE FROM event_searches",
    );
    db.close();
    const [text, json] = await Promise.all([
      runHere(["doctor", "--data", data]),
      runHere(["doctor", "--json", "--data", data]),
    ]);
    const wrong = ["tables", "search index", "totals"];
    assert.equal(text.stderr, `flagstone: ${data} has problems: ${wrong.join(", ")}\n`);
    const { ok, findings } = JSON.parse(json.stdout) as { ok: boolean; findings: Finding[] };
    assert.deepEqual([ok, json.code], [false, 3]);
    assert.deepEqual(
      findings.filter(({ problem }) => problem).map(({ name }) => name),
      wrong,
    );
    assert.ok(findings.length > wrong.length);
  });

  test("doctor warns about failing integrations, and about deliveries that have waited long", async (t) => {
    const types = { events: ["feature-created"] };
    const world = createWorld().event().integration(types).integration(types).integration(types);
    const data = await dataFile(t, world.lines);
    const { default: Sqlite } = await import("better-sqlite3");
    const db = new Sqlite(data);
    db.exec(`
      INSERT INTO deliveries (integration_id, event_id, due_at) VALUES (1, 1, '2030-01-01T00:00:00.000Z'),
        (2, 1, '2020-01-01T00:00:00.000Z'), (3, 1, '2099-01-01T00:00:00.000Z');
      INSERT INTO integration_troubles VALUES (1, 7, '2026-01-01T00:00:00.000Z', 'It failed.' || char(10) || 'x', '')`);
    db.close();
    const { code, stdout } = await runHere(["doctor", "--data", data]);
    assert.equal(code, 0);
    assert.equal(
      stdout.trimEnd().split("\n").at(-1),
      "WARN   deliveries: integration 1 (webhook) has been failing since 2026-01-01T00:00:00.000Z (failures in a row: 7, " +
        "events waiting: 1): It failed.; integration 2 (webhook) has delivered nothing for an hour " +
        "(events waiting: 1): serve the file, or see the server's log",
    );
    const { ok, findings } = JSON.parse((await runHere(["doctor", "--json", "--data", data])).stdout);
    assert.equal(ok, true);
    assert.match(findings.at(-1).warning, /^integration 1 /);
  });

  test("doctor reports success as JSON", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const { code, stdout } = await runHere(["doctor", "--json", "--data", data]);
    assert.deepEqual([code, JSON.parse(stdout).ok], [0, true]);
  });

  test("doctor recognizes what a killed first start leaves behind", async (t) => {
    const data = path.join(temporaryFolder(t), "flags.db");
    fs.writeFileSync(data, "");
    const { code, stdout } = await runHere(["doctor", "--data", data]);
    assert.deepEqual([code, stdout.split(":")[0]], [3, "FAIL   content"]);
    assert.match(stdout, /serve it, or import into it/);
  });

  test("doctor finds a damaged page", async (t) => {
    const world = createWorld();
    for (let count = 0; count < 500; count++) world.event({ data: { text: `number ${count}` } });
    const data = await dataFile(t, world.lines);
    const bytes = fs.readFileSync(data);
    bytes.fill(0xab, bytes.length / 2, bytes.length / 2 + 8192);
    fs.writeFileSync(data, bytes);
    assert.equal((await runHere(["doctor", "--data", data])).code, 3);
  });

  test("health says whether a server is ready", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const { url, stop } = await startServer(t, ["serve", "--data", data]);
    assert.equal((await runHere(["health", url])).code, 0);
    await stop();
    const { code, stderr } = await runHere(["health", url]);
    assert.equal(code, 1);
    assert.match(stderr, /does not respond: nothing is listening there: start it with flagstone serve\n$/);
  });

  test("an empty file, a folder and the data file itself are not backups", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const before = contentOf(data);
    const empty = path.join(path.dirname(data), "empty");
    fs.writeFileSync(empty, "");
    for (const [source, message] of [
      [empty, /empty is not a Flagstone backup/],
      [path.dirname(data), /is not a file/],
      [data, /is the data file itself/],
    ] as const) {
      const { code, stderr } = await runHere(["restore", source, "--data", data]);
      assert.equal(code, 3);
      assert.match(stderr, message);
    }
    assert.equal(contentOf(data), before);
  });

  test("after a restore, the file is readable by the same users as before", {
    skip: process.getuid?.() !== 0 && "needs root",
  }, async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const backup = await dataFile(t, createWorld().lines);
    fs.chmodSync(backup, 0o666);
    fs.chownSync(data, 65534, 65534);
    fs.chmodSync(data, 0o640);
    assert.equal((await runHere(["restore", backup, "--data", data])).code, 0);
    const { uid, mode } = fs.statSync(data);
    assert.deepEqual([uid, mode & 0o777], [65534, 0o640]);
  });

  for (const [name, isServed, mode] of [
    ["its owner serves", true, 0o444],
    ["is a backup", false, 0o444],
  ] as const) {
    test(`commands that only read need no write permission for a file that ${name}`, async (t) => {
      const [data, folder] = [await dataFile(t, createWorld().lines), temporaryFolder(t)];
      if (isServed) await startServer(t, ["serve", "--data", data]);
      else toSingleFile(data);
      for (const file of beside(data)) fs.chmodSync(path.join(path.dirname(data), file), mode);
      fs.chmodSync(path.dirname(data), 0o555);
      fs.chmodSync(folder, 0o777);
      const before = beside(data);
      const backup = ["backup", path.join(folder, "copy.db")];
      for (const args of [["doctor"], backup, ["export"], ["user", "list"], ["token", "list"]]) {
        const { code, stderr } = await runCli([...args, "--data", data], { uid: NOBODY });
        assert.equal(code, 0, stderr);
      }
      assert.deepEqual(beside(data), before);
      fs.chmodSync(path.dirname(data), 0o755);
    });
  }

  test("a file that can't be read without writing beside it is refused with an explanation", async (t) => {
    const [data, folder] = [await dataFile(t, createWorld().lines), temporaryFolder(t)];
    fs.chmodSync(data, 0o444);
    fs.chmodSync(path.dirname(data), 0o555);
    fs.chmodSync(folder, 0o777);
    const backup = await runCli(["backup", path.join(folder, "b.db"), "--data", data], { uid: NOBODY });
    const doctor = await runCli(["doctor", "--data", data], { uid: NOBODY });
    fs.chmodSync(path.dirname(data), 0o755);
    assert.deepEqual([backup.code, doctor.code], [3, 3]);
    for (const text of [backup.stderr, doctor.stdout])
      assert.match(
        text,
        /flags\.db can't be read without write permission for it and its folder, .*: copy it/,
      );
  });

  test("doctor leaves the log of a killed server alone", async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const { child, ended } = await startServer(t, ["serve", "--data", data]);
    await runHere(["user", "create", "late", "--data", data]);
    child.kill("SIGKILL");
    await ended;
    const files = () =>
      fs
        .readdirSync(path.dirname(data))
        .map((name) => [name, fs.statSync(path.join(path.dirname(data), name)).size]);
    const before = files();
    assert.equal((await runHere(["doctor", "--data", data])).code, 0);
    assert.deepEqual(files(), before);
  });
});

for (const command of ["backup", "export"]) {
  test(`what ${command} wrote, and its name, are on disk before it reports success`, async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const target = path.join(temporaryFolder(t), "target");
    const synced: string[] = [];
    const sync = fs.fsyncSync;
    t.mock.method(fs, "fsyncSync", (fd: number) => {
      synced.push(fs.readlinkSync(`/proc/self/fd/${fd}`));
      sync(fd);
    });
    assert.equal((await runHere([command, target, "--data", data])).code, 0);
    assert.deepEqual(synced, [`${target}.${process.pid}.unfinished`, path.dirname(target)]);
  });
}

for (const command of ["backup", "export", "restore", "import"]) {
  test(`a file that root creates with ${command} belongs to the owner of its folder`, {
    skip: process.getuid?.() !== 0 && "needs root",
  }, async (t) => {
    const data = await dataFile(t, createWorld().lines);
    const folder = temporaryFolder(t);
    fs.chownSync(folder, 65534, 65534);
    const target = path.join(folder, "target");
    const source = path.join(path.dirname(data), "source.jsonl");
    fs.writeFileSync(source, contentOf(data));
    fs.chmodSync(data, 0o666);
    const args = {
      backup: [target, "--data", data],
      export: [target, "--data", data],
      restore: [data, "--data", target],
      import: [source, "--data", target],
    }[command]!;
    const { code, stderr } = await runHere([command, ...args]);
    assert.equal(code, 0, stderr);
    const { uid, gid, mode } = fs.statSync(target);
    assert.deepEqual([uid, gid, mode & 0o777], [65534, 65534, 0o600]);
  });
}

test("a result that can't be written is a failure", { skip: !fs.existsSync("/dev/full") }, async (t) => {
  const data = await dataFile(t, createWorld().lines);
  const full = fs.openSync("/dev/full", "w");
  t.after(() => fs.closeSync(full));
  for (const command of [["user", "list"], ["export"]]) {
    const args = ["--import", "./scripts/preload.mjs", "src/main.ts", ...command, "--data", data];
    const { status, stderr } = spawnSync(process.execPath, args, {
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
    });
    assert.deepEqual(
      [status, stderr],
      [1, "flagstone: standard output can't be written: the disk is full\n"],
      command[0],
    );
  }
});
