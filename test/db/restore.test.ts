import assert from "node:assert/strict";
import fs from "node:fs";
import { describe, test } from "node:test";
import { restore } from "../../src/db/backup.ts";
import { lockForServing } from "../../src/db/lock.ts";
import { close, open } from "../../src/db/open.ts";
import { contentOf } from "../cli/run-cli.ts";
import { AT, backupFile, beside, contentAside, crashedFile } from "./crashed-file.ts";

describe("restore", { concurrency: 2 }, () => {
  test("the log of a crashed process is moved aside with its file, and restores nothing of it", async (t) => {
    const [data, backup] = [await crashedFile(t), await backupFile(t)];
    const before = contentAside(t, data);
    assert.match(before, /in the log/);
    const kept = restore(backup, data, AT);
    assert.equal(contentOf(data), contentOf(backup));
    assert.ok(!kept.some((name) => name.endsWith("-wal")), "the log has been checkpointed");
    assert.equal(contentOf(kept[0]!), before);
  });

  test("a log without its file is moved aside too", async (t) => {
    const [data, backup] = [await crashedFile(t), await backupFile(t)];
    fs.rmSync(data);
    const kept = restore(backup, data, AT);
    assert.equal(contentOf(data), contentOf(backup));
    const aside = `${data}.before-restore-2026-01-31T09-00-00-000Z`;
    assert.deepEqual(kept, [`${aside}-wal`, `${aside}-shm`]);
    assert.ok(kept.every((name) => fs.statSync(name).size > 0));
  });

  test("the log of an unreadable file is kept beside it", async (t) => {
    const [data, backup] = [await crashedFile(t), await backupFile(t)];
    fs.writeFileSync(data, "no database ".repeat(1000));
    const log = fs.readFileSync(`${data}-wal`);
    const [kept, keptLog] = restore(backup, data, AT);
    assert.equal(contentOf(data), contentOf(backup));
    assert.equal(fs.readFileSync(kept!, "utf8"), "no database ".repeat(1000));
    assert.ok(fs.readFileSync(keptLog!).equals(log));
  });

  test("a file in use by a command is not replaced", async (t) => {
    const [data, backup] = [await crashedFile(t), await backupFile(t)];
    const db = open(data);
    t.after(() => close(db));
    assert.throws(() => restore(backup, data, AT), /is locked by another process/);
    assert.deepEqual(beside(data), ["flags.db", "flags.db-shm", "flags.db-wal"]);
  });
});

describe("restore, with system calls traced", () => {
  test("where hard links are not supported, the old file is copied", async (t) => {
    const [data, backup] = [await crashedFile(t), await backupFile(t)];
    const before = contentAside(t, data);
    t.mock.method(fs, "linkSync", () => {
      throw Object.assign(new Error("not permitted"), { code: "EPERM" });
    });
    const [kept] = restore(backup, data, AT);
    assert.equal(contentOf(kept!), before);
    assert.equal(contentOf(data), contentOf(backup));
  });

  test("the new file is synced before it is renamed, and the folder before restore ends", async (t) => {
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

  test("no server and no other restore can use the file meanwhile", async (t) => {
    const [data, backup] = [await crashedFile(t), await backupFile(t)];
    const copyFile = fs.copyFileSync;
    t.mock.method(fs, "copyFileSync", (from: string, to: string) => {
      assert.throws(() => lockForServing(data, 2), /is already in use by a server, process 1/);
      copyFile(from, to);
    });
    restore(backup, data, AT);
    lockForServing(data, 2)();
  });
});
