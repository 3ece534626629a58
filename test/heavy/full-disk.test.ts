import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { dataFile, linesOf, runCli, startServer } from "../cli/run-cli.ts";
import { createClock, openDelivering } from "../support/delivering.ts";
import { openReceiver, until } from "../support/receiver.ts";
import { createWorld, personal } from "../support/world.ts";
import { toText } from "../transfer/examples.ts";
import { recordEvents, stateOf } from "./delivered.ts";

const small = () => createWorld().project("a").feature("f", "a").integration();

/** A small RAM disk with a data file on it; undefined if we may not mount one. */
async function smallDisk(t: TestContext, { lines } = small()) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-full-"));
  const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=6m", "tmpfs", folder]).status === 0;
  t.after(() => {
    if (isMounted) spawnSync("umount", ["-l", folder]);
    fs.rmSync(folder, { recursive: true });
  });
  if (!isMounted) return undefined;
  const data = path.join(folder, "flags.db");
  fs.cpSync(path.dirname(await dataFile(t, lines)), folder, { recursive: true }); // including the key of its secrets
  return data;
}

/** Uses up the free space. */
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

test("when the disk fills up, the server's writes fail with a clear error and reads continue", async (t) => {
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
    "writes work again once there is space",
  );
  assert.ok(!(await runCli(["export", "--data", data])).stdout.includes("xxx"), "nothing is half done");
  assert.equal((await stop()).code, 0);
  assert.equal((await runCli(["doctor", "--data", data])).code, 0);
});

test("a server starts on a full disk", async (t) => {
  const data = await smallDisk(t);
  if (data === undefined) return t.skip("needs to mount a small disk");
  fill(data);
  const running = await startServer(t, ["serve", "--data", data]).catch((error: Error) => error);
  if (running instanceof Error) return assert.match(running.message, /ended with 3\n.*the disk is full/s);
  assert.equal((await running.get("/events", personal(1))).status, 200);
  await running.stop();
});

test("when the disk fills up, changes fail with a clear error, leave nothing half done, and work again once there is space", async (t) => {
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
  assert.deepEqual(await namesOf(), ["f", ...made].toSorted(), "reads continue");
  fs.truncateSync(path.join(path.dirname(data), "filler"));
  assert.equal((await create("late")).status, 201, "writes work again once there is space");
  assert.deepEqual(await namesOf(), ["f", "late", ...made].toSorted());
  const events = linesOf(data).filter((line) => line.kind === "event");
  assert.deepEqual(events.map(({ featureName }) => featureName).toSorted(), ["late", ...made].toSorted());
  assert.equal((await stop()).code, 0);
  assert.equal((await runCli(["doctor", "--data", data])).code, 0);
});

test("when the disk fills up, deliveries are held back with a clear error, and continue once there is space", {
  timeout: 90_000,
}, async (t) => {
  let release = () => {};
  const receiver = await openReceiver(t, (_, response) => {
    release = () => response.end();
  });
  const world = createWorld().integration({ parameters: { url: receiver.url }, events: ["user-created"] });
  const data = await smallDisk(t, world);
  if (data === undefined) return t.skip("needs to mount a small disk");
  recordEvents(data, 100, "x".repeat(1000));
  const running = await startServer(t, ["serve", "--data", data, "--allow-private-targets", "127.0.0.1"]);
  await receiver.has(1);
  fill(data);
  receiver.answer = 200;
  release();
  await running.until("why deliveries wait", ({ stderr }) =>
    /integration 1 are waiting: .*flags\.db can't be (read or )?written: the disk is full/.test(stderr),
  );
  assert.equal((await running.get("/addons/1/events", personal(1))).status, 200, "reads continue");
  fs.rmSync(path.join(path.dirname(data), "filler"));
  const sent = () => new Set(receiver.received.map(({ body }) => JSON.parse(body).id)).size;
  await until(() => sent() === 100, "all of them", 60_000);
  assert.equal((await running.stop()).code, 0);
  const { waiting, events, succeeded } = stateOf(data);
  assert.deepEqual([waiting, succeeded], [0, events], "each is recorded once, even if it was sent twice");
  assert.equal((await runCli(["doctor", "--data", data])).code, 0);
});

test("a full disk leaves only complete lines in a file of deliveries, and the delivery is retried", async (t) => {
  const data = await smallDisk(t);
  if (data === undefined) return t.skip("needs to mount a small disk");
  const folder = path.dirname(data);
  const clock = createClock();
  const { integrate, request, recorded } = await openDelivering(t, { folder, clock });
  await integrate({ file: "log" }, { provider: "file" });
  const create = (name: string, length: number) => {
    const body = { name, description: "x".repeat(length) };
    return request("/api/admin/projects/a/features", { method: "POST", body });
  };
  await create("one", 1);
  await recorded(1);
  fill(data);
  await create("two", 20_000);
  const [failed] = await recorded(2);
  assert.match(failed!.stateDetails, /^The event could not be appended to log\.jsonl: ENOSPC\.$/);
  const names = () => {
    const lines = fs.readFileSync(path.join(folder, "log.jsonl"), "utf8").split("\n");
    assert.equal(lines.pop(), "", "the last line is complete");
    return lines.map((line) => JSON.parse(line).featureName);
  };
  assert.deepEqual(names(), ["one"]);
  fs.rmSync(path.join(folder, "filler"));
  await until(() => clock.waits().length > 0, "another attempt to be planned");
  clock.move(1000);
  await recorded(3);
  assert.deepEqual(names(), ["one", "two"]);
});
