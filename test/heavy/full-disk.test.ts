import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { dataFile, linesOf, runCli, startServer } from "../cli/run-cli.ts";
import { createWorld, personal } from "../support/world.ts";
import { toText } from "../transfer/examples.ts";

/** A disk of a few megabytes in memory with a data file on it; undefined where we may not mount one. */
async function smallDisk(t: TestContext) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-full-"));
  const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=6m", "tmpfs", folder]).status === 0;
  t.after(() => {
    if (isMounted) spawnSync("umount", ["-l", folder]);
    fs.rmSync(folder, { recursive: true });
  });
  if (!isMounted) return undefined;
  const data = path.join(folder, "flags.db");
  fs.copyFileSync(await dataFile(t, createWorld().project("a").feature("f", "a").integration().lines), data);
  return data;
}

/** Takes what room there is. */
function fill(data: string) {
  const filler = fs.openSync(path.join(path.dirname(data), "filler"), "w");
  try {
    for (;;) fs.writeSync(filler, Buffer.alloc(64 * 1024));
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
  } finally {
    fs.closeSync(filler);
  }
}

test("a disk that fills under a server stops what writes, in words, and no reads", async (t) => {
  const data = await smallDisk(t);
  if (data === undefined) return t.skip("needs to mount a small disk");
  const { get, stop } = await startServer(t, ["serve", "--data", data]);
  assert.equal((await get("/events", personal(1))).status, 200);
  fill(data);
  const input = toText([
    { kind: "dataset", version: 1 },
    { kind: "contextField", name: "long", legalValues: [{ value: "x".repeat(200_000) }] },
  ]);
  const { code, stderr } = await runCli(["import", "-", "--data", data], { input });
  assert.equal(code, 3, stderr);
  assert.match(stderr, /flags\.db can't be (read or )?written: the disk is full/);
  for (const read of ["/events", "/projects/a/features", "/personal-dashboard", "/user-admin/1"]) {
    assert.equal((await get(read, personal(1))).status, 200, read);
  }
  fs.rmSync(path.join(path.dirname(data), "filler"));
  assert.equal(
    (await runCli(["user", "create", "late", "--data", data])).code,
    0,
    "it goes on once there is room",
  );
  assert.ok(!(await runCli(["export", "--data", data])).stdout.includes("xxx"), "nothing half done");
  assert.equal((await stop()).code, 0);
  assert.equal((await runCli(["doctor", "--data", data])).code, 0);
});

test("a server starts from a full disk", async (t) => {
  const data = await smallDisk(t);
  if (data === undefined) return t.skip("needs to mount a small disk");
  fill(data);
  const running = await startServer(t, ["serve", "--data", data]).catch((error: Error) => error);
  if (running instanceof Error) return assert.match(running.message, /ended with 3\n.*the disk is full/s);
  assert.equal((await running.get("/events", personal(1))).status, 200);
  await running.stop();
});

test("a disk that fills under changes refuses them in words, keeps nothing by halves, and goes on with room", async (t) => {
  const data = await smallDisk(t);
  if (data === undefined) return t.skip("needs to mount a small disk");
  const { url, get, stop } = await startServer(t, ["serve", "--data", data]);
  const headers = { authorization: personal(1), "content-type": "application/json" };
  const description = "x".repeat(60_000);
  fs.writeFileSync(path.join(path.dirname(data), "filler"), Buffer.alloc(2 * 1024 * 1024));
  const create = (name: string) =>
    fetch(`${url}/api/admin/projects/a/features`, {
      method: "POST",
      headers,
      body: JSON.stringify({ name, description }),
    });
  const made: string[] = [];
  let refused: Response | undefined;
  for (let round = 0; refused === undefined; round++) {
    const names = Array.from({ length: 4 }, (_, number) => `r${round}-${number}`);
    const replies = await Promise.all(names.map(create));
    made.push(...names.filter((_, index) => replies[index]!.status === 201));
    refused = replies.find(({ status }) => status !== 201);
  }
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get("retry-after"), "60");
  const { name, message } = (await refused.json()) as { name: string; message: string };
  assert.equal(name, "ServiceUnavailableError");
  assert.match(message, /disk/);
  const namesOf = async () => {
    const { features } = (await (await get("/projects/a/features", personal(1))).json()) as {
      features: Array<{ name: string }>;
    };
    return features.map((feature) => feature.name);
  };
  assert.deepEqual(await namesOf(), ["f", ...made].toSorted(), "reads go on");
  fs.truncateSync(path.join(path.dirname(data), "filler"));
  assert.equal((await create("late")).status, 201, "it goes on once there is room");
  assert.deepEqual(await namesOf(), ["f", "late", ...made].toSorted());
  const events = linesOf(data).filter((line) => line.kind === "event");
  assert.deepEqual(events.map(({ featureName }) => featureName).toSorted(), ["late", ...made].toSorted());
  assert.equal((await stop()).code, 0);
  assert.equal((await runCli(["doctor", "--data", data])).code, 0);
});
