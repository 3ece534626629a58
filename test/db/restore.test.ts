import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { lockForServing } from "../../src/db/lock.ts";
import { close, open } from "../../src/db/open.ts";
import { restore } from "../../src/db/restore.ts";
import { contentOf, dataFile, temporaryFolder } from "../cli/run-cli.ts";
import { importLines } from "../support/server.ts";
import { createWorld } from "../support/world.ts";

const AT = { now: new Date("2026-01-31T09:00:00Z"), pid: 1 };

/** A file as a crash leaves it: some of its rows are in the log only. */
async function crashedFile(t: TestContext) {
  const source = await dataFile(t, createWorld().project("old").lines);
  const db = open(source);
  t.after(() => close(db));
  await importLines(db, [
    { kind: "dataset", version: 1 },
    { kind: "tagType", name: "in the log" },
  ]);
  return copyOf(t, source);
}

function copyOf(t: TestContext, file: string) {
  const copy = path.join(temporaryFolder(t), "flags.db");
  for (const suffix of ["", "-wal", "-shm"]) {
    if (fs.existsSync(file + suffix)) fs.copyFileSync(file + suffix, copy + suffix);
  }
  return copy;
}

const backupFile = (t: TestContext) => dataFile(t, createWorld().project("new").lines);

/** What a file holds, read from a copy: reading would fold in its log. */
const contentAside = (t: TestContext, file: string) => contentOf(copyOf(t, file));

const beside = (data: string) => fs.readdirSync(path.dirname(data)).sort();

/** Restores, killed before a step; whether it came to its end instead. */
async function isDoneBefore(step: number, backup: string, data: string) {
  const preload = ["./scripts/preload.mjs", "./test/db/kill-before-step.mjs"];
  const args = [...preload.flatMap((file) => ["--import", file]), "test/db/restore-child.ts", backup, data];
  const env = { ...process.env, STEP: String(step) };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  const [code, signal] = await once(child, "exit");
  assert.ok(code === 0 || signal === "SIGKILL", `${code}`);
  return code === 0;
}

describe("restore", { concurrency: 2 }, () => {
  test("the log of a crashed process goes aside with its file and brings nothing back", async (t) => {
    const [data, backup] = [await crashedFile(t), await backupFile(t)];
    const before = contentAside(t, data);
    assert.match(before, /in the log/);
    const kept = restore(backup, data, AT);
    assert.equal(contentOf(data), contentOf(backup));
    assert.ok(!kept.some((name) => name.endsWith("-wal")), "the log is in the file");
    assert.equal(contentOf(kept[0]!), before);
  });

  test("a log without its file goes aside too", async (t) => {
    const [data, backup] = [await crashedFile(t), await backupFile(t)];
    fs.rmSync(data);
    const kept = restore(backup, data, AT);
    assert.equal(contentOf(data), contentOf(backup));
    const aside = `${data}.before-restore-2026-01-31T09-00-00-000Z`;
    assert.deepEqual(kept, [`${aside}-wal`, `${aside}-shm`]);
    assert.ok(kept.every((name) => fs.statSync(name).size > 0));
  });

  test("the log of a file that can't be read is kept beside it", async (t) => {
    const [data, backup] = [await crashedFile(t), await backupFile(t)];
    fs.writeFileSync(data, "no database ".repeat(1000));
    const log = fs.readFileSync(`${data}-wal`);
    const [kept, keptLog] = restore(backup, data, AT);
    assert.equal(contentOf(data), contentOf(backup));
    assert.equal(fs.readFileSync(kept!, "utf8"), "no database ".repeat(1000));
    assert.ok(fs.readFileSync(keptLog!).equals(log));
  });

  test("a file that a command is at work on is not replaced", async (t) => {
    const [data, backup] = [await crashedFile(t), await backupFile(t)];
    const db = open(data);
    t.after(() => close(db));
    assert.throws(() => restore(backup, data, AT), /is locked by another process/);
    assert.deepEqual(beside(data), ["flags.db", "flags.db-shm", "flags.db-wal"]);
  });

  test("killed before any step, it leaves all of the old file or all of the new one", async (t) => {
    const backup = await backupFile(t);
    const wanted = contentOf(backup);
    const crashed = await crashedFile(t);
    const before = contentAside(t, crashed);
    const seen = new Set<boolean>();
    for (let step = 1, isDone = false; !isDone; step++) {
      const data = copyOf(t, crashed);
      isDone = await isDoneBefore(step, backup, data);
      const after = contentOf(data);
      assert.ok(after === before || after === wanted, `step ${step}`);
      for (const name of beside(data).filter((name) => /before-restore-[^.]*Z$/.test(name))) {
        assert.equal(contentOf(path.join(path.dirname(data), name)), before, `step ${step}`);
      }
      seen.add(after === wanted);
      restore(backup, data, AT);
      assert.equal(contentOf(data), wanted, "and it can be made again");
      assert.ok(!beside(data).some((name) => name.includes("unfinished")));
    }
    assert.equal(seen.size, 2, "some kills came before and some after");
  });

  test("killed before any step where only a log was left, it leaves the new file or none", async (t) => {
    const backup = await backupFile(t);
    const wanted = contentOf(backup);
    const crashed = await crashedFile(t);
    fs.rmSync(crashed);
    for (let step = 1, isDone = false; !isDone; step++) {
      const data = copyOf(t, crashed);
      isDone = await isDoneBefore(step, backup, data);
      if (fs.existsSync(data)) assert.equal(contentOf(data), wanted, `step ${step}`);
      else assert.throws(() => open(data), /is missing, and .*flagstone restore FILE/, `step ${step}`);
    }
  });
});

describe("restore, with the system watched", () => {
  test("where a file can't have two names, the old one is copied", async (t) => {
    const [data, backup] = [await crashedFile(t), await backupFile(t)];
    const before = contentAside(t, data);
    t.mock.method(fs, "linkSync", () => {
      throw Object.assign(new Error("not permitted"), { code: "EPERM" });
    });
    const [kept] = restore(backup, data, AT);
    assert.equal(contentOf(kept!), before);
    assert.equal(contentOf(data), contentOf(backup));
  });

  test("the disk has the new file before it gets the name, and the names before it is done", async (t) => {
    const [data, backup] = [await crashedFile(t), await backupFile(t)];
    const steps: string[] = [];
    for (const name of ["fsyncSync", "renameSync"] as const) {
      const step = fs[name] as (...args: unknown[]) => void;
      t.mock.method(fs, name, (...args: unknown[]) => {
        steps.push(name);
        step(...args);
      });
    }
    restore(backup, data, AT);
    assert.deepEqual(steps.slice(-4), ["fsyncSync", "fsyncSync", "renameSync", "fsyncSync"]);
  });

  test("no server and no other restore gets the file meanwhile", async (t) => {
    const [data, backup] = [await crashedFile(t), await backupFile(t)];
    const copyFile = fs.copyFileSync;
    t.mock.method(fs, "copyFileSync", (from: string, to: string) => {
      assert.throws(() => lockForServing(data, 2), /is served by the process 1 already/);
      copyFile(from, to);
    });
    restore(backup, data, AT);
    lockForServing(data, 2)();
  });
});
