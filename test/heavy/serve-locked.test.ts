import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import Sqlite from "better-sqlite3";
import { close, open } from "../../src/db/open.ts";
import { contentOf, dataFile, runCli, startServer, temporaryFolder } from "../cli/run-cli.ts";
import { createWorld, personal } from "../support/world.ts";

/** Locks the file as a long import does. */
function lock(data: string) {
  const db = new Sqlite(data);
  db.exec("BEGIN IMMEDIATE");
  return db;
}

test("a first start on a file that stays locked gives up with a clear message", async (t) => {
  const data = path.join(temporaryFolder(t), "flags.db");
  close(open(data));
  const holder = lock(data);
  t.after(() => holder.close());
  const { code, stdout, stderr } = await runCli(["serve", "--port", "0", "--data", data]);
  assert.deepEqual([code, stdout], [3, ""]);
  assert.match(stderr, /is locked by another process/);
});

test("an existing file can be served while another process writes to it", async (t) => {
  const data = await dataFile(t, createWorld().lines);
  const holder = lock(data);
  t.after(() => holder.close());
  const { url } = await startServer(t, ["serve", "--data", data]);
  assert.equal((await fetch(`${url}/ready`)).status, 200);
});

test("a second server is refused under any name of the file, and so is a restore", async (t) => {
  const data = await dataFile(t, createWorld().lines);
  const link = path.join(temporaryFolder(t), "link.db");
  fs.symlinkSync(data, link);
  const { child } = await startServer(t, ["serve", "--data", data]);
  for (const args of [["serve"], ["compact"], ["restore", data]]) {
    const { code, stderr } = await runCli([...args, "--data", link]);
    assert.equal(code, 3, args.join(" "));
    assert.match(stderr, new RegExp(`is already in use by a server, process ${child.pid}`));
  }
});

/** What a second server and a restore print when the file is already served. */
async function requireRefused(data: string, pid: number | undefined, env = {}) {
  for (const args of [["serve", "--port", "0"], ["compact"]]) {
    const { code, stderr } = await runCli([...args, "--data", data], { env });
    assert.equal(code, 3, args.join(" "));
    assert.match(stderr, new RegExp(`is already in use by a server, process ${pid}`));
  }
}

test("a second server is refused even if the lock was removed, and under another hard link", async (t) => {
  const data = await dataFile(t, createWorld().lines);
  const link = path.join(path.dirname(data), "link.db");
  fs.linkSync(data, link);
  const { child, stop } = await startServer(t, ["serve", "--data", data]);
  assert.equal(fs.statSync(`${data}.lock`).mode & 0o777, 0o600);
  await requireRefused(link, child.pid);
  fs.rmSync(`${data}.lock`);
  await requireRefused(data, child.pid);
  assert.equal((await stop()).code, 0);
  assert.deepEqual(fs.readdirSync(path.dirname(data)).sort(), [path.basename(data), "link.db"]);
});

test("a second server with another temporary folder, or none, is refused", async (t) => {
  const data = await dataFile(t, createWorld().lines);
  const { child } = await startServer(t, ["serve", "--data", data], { env: { TMPDIR: temporaryFolder(t) } });
  for (const TMPDIR of [temporaryFolder(t), "/nowhere"]) await requireRefused(data, child.pid, { TMPDIR });
});

test("a file that another user put in place of the temporary lock is left alone", async (t) => {
  const data = await dataFile(t, createWorld().lines);
  const [TMPDIR, victim] = [temporaryFolder(t), path.join(temporaryFolder(t), "victim")];
  fs.writeFileSync(victim, "victim");
  const { dev, ino } = fs.statSync(data);
  fs.symlinkSync(victim, path.join(TMPDIR, `flagstone-${process.getuid?.()}-${dev}-${ino}.lock`));
  const { stop } = await startServer(t, ["serve", "--data", data], { env: { TMPDIR } });
  assert.equal((await stop()).code, 0);
  assert.equal(fs.readFileSync(victim, "utf8"), "victim");
});

test("SIGUSR1 does not open a debugger", async (t) => {
  const data = await dataFile(t, createWorld().lines);
  const { child, get, stop } = await startServer(t, ["serve", "--data", data]);
  child.kill("SIGUSR1");
  assert.equal((await get("/events", personal(1))).status, 200);
  const { code, stderr } = await stop();
  assert.equal(code, 0);
  assert.doesNotMatch(stderr, /debugger/i);
});

test("a restore through a link replaces the file, not the link", async (t) => {
  const data = await dataFile(t, createWorld().lines);
  const backup = await dataFile(t, createWorld().project("later").lines);
  const link = path.join(temporaryFolder(t), "link.db");
  fs.symlinkSync(data, link);
  assert.equal((await runCli(["restore", backup, "--data", link])).code, 0);
  assert.equal(contentOf(data), contentOf(backup));
  assert.ok(fs.lstatSync(link).isSymbolicLink());
});

const create = (url: string, name: string) =>
  fetch(`${url}/api/admin/projects/a/features`, {
    method: "POST",
    headers: { authorization: personal(1), "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });

test("a change waits while another process writes, reads don't", async (t) => {
  const data = await dataFile(t, createWorld().project("a").lines);
  const { url, get } = await startServer(t, ["serve", "--data", data]);
  const holder = lock(data);
  t.after(() => holder.close());
  const changes = ["f", "g"].map((name) => create(url, name));
  for (let count = 0; count < 50; count++)
    assert.equal((await get(`/events?n=${count}`, personal(1))).status, 200);
  holder.exec("COMMIT"); // had the reads waited for it, the changes would have given up
  const statuses = (await Promise.all(changes)).map(({ status }) => status);
  assert.deepEqual(statuses, [201, 201]);
});

test("a change gives up after five seconds with a clear message, and nothing of it is stored later", async (t) => {
  const data = await dataFile(t, createWorld().project("a").lines);
  const { url, get } = await startServer(t, ["serve", "--data", data]);
  const holder = lock(data);
  t.after(() => holder.close());
  const begun = performance.now();
  const reply = await create(url, "f");
  const took = performance.now() - begun;
  assert.ok(took > 4500, `${took} ms`);
  assert.deepEqual([reply.status, reply.headers.get("retry-after")], [503, "1"]);
  assert.match(((await reply.json()) as { message: string }).message, /locked/);
  holder.exec("COMMIT");
  assert.equal((await create(url, "g")).status, 201);
  const { features } = (await (await get("/projects/a/features", personal(1))).json()) as {
    features: object[];
  };
  assert.equal(features.length, 1);
});
