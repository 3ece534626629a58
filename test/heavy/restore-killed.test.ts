import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { restore } from "../../src/db/backup.ts";
import { open } from "../../src/db/open.ts";
import { contentOf } from "../cli/run-cli.ts";
import { AT, backupFile, beside, contentAside, copyOf, crashedFile } from "../db/crashed-file.ts";

/** Runs a restore, killed before a step; returns whether it completed instead. */
async function isDoneBefore(step: number, backup: string, data: string) {
  const preload = ["./scripts/preload.mjs", "./test/heavy/kill-before-step.mjs"];
  const args = [
    ...preload.flatMap((file) => ["--import", file]),
    "test/heavy/restore-child.ts",
    backup,
    data,
  ];
  const env = { ...process.env, STEP: String(step) };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  const [code, signal] = await once(child, "exit");
  assert.ok(code === 0 || signal === "SIGKILL", `${code}`);
  return code === 0;
}

test("killed before any step, a restore leaves either the old file or the new one, complete", async (t) => {
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
    assert.equal(contentOf(data), wanted, "and the restore can be repeated");
    assert.ok(!beside(data).some((name) => name.includes("unfinished")));
  }
  assert.equal(seen.size, 2, "some kills came early and some late");
});

test("killed before any step with only an old log left, a restore leaves the new file or none", async (t) => {
  const backup = await backupFile(t);
  const wanted = contentOf(backup);
  const crashed = await crashedFile(t);
  fs.rmSync(crashed);
  for (let step = 1, isDone = false; !isDone; step++) {
    const data = copyOf(t, crashed);
    isDone = await isDoneBefore(step, backup, data);
    if (fs.existsSync(data)) assert.equal(contentOf(data), wanted, `step ${step}`);
    else assert.throws(() => open(data), /is missing, but .*flagstone restore FILE/, `step ${step}`);
  }
});
