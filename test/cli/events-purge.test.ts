import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { close, open } from "../../src/db/open.ts";
import { removeAllOld } from "../../src/server/tasks.ts";
import { openServer } from "../support/server.ts";
import { createWorld, type World } from "../support/world.ts";
import { dataFile, runHere, serveHere } from "./run-cli.ts";

const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** Three records of one integration, 30, 20 and 10 days old, and one of another integration. */
const world = (w: World = createWorld()) => {
  w.event()
    .integration({ parameters: { url: "https://hooks.example/hush" } })
    .integration();
  for (const days of [30, 20, 10]) w.integrationEvent({ createdAt: ago(days) });
  return w.integrationEvent({ integrationId: 2, createdAt: ago(25) });
};

for (const [kept, left] of [
  [{ days: 15 }, [3]],
  [{ days: 5 }, []],
  [{ days: 365 }, [1, 2, 3, 4]],
  [{ count: 1 }, [3, 4]],
  [{ count: 2 }, [2, 3, 4]],
  [{ count: 3 }, [1, 2, 3, 4]],
] as const)
  test(`keeping ${JSON.stringify(kept)}, older records are deleted`, async (t) => {
    const { db } = await openServer(t, world());
    await removeAllOld(db, kept);
    assert.deepEqual(db.prepare("SELECT id FROM integration_events ORDER BY id").pluck().all(), left);
  });

test("more than one batch is deleted", async (t) => {
  const w = createWorld().event().integration();
  for (let count = 0; count < 450; count++) w.integrationEvent({ createdAt: ago(30) });
  const { db } = await openServer(t, w);
  await removeAllOld(db, { count: 10 });
  assert.equal(db.prepare("SELECT count(*) FROM integration_events").pluck().get(), 10);
});

test("events purge prints what it would delete, then deletes it", async (t) => {
  const data = await dataFile(t, world().lines);
  const args = ["events", "purge", "--keep-integration-events", "15d", "--data", data];
  const dry = await runHere([...args, "--dry-run"]);
  assert.deepEqual([dry.code, dry.stdout], [0, "Would remove 3 records of deliveries\n"]);
  const json = await runHere([...args, "--json"]);
  assert.deepEqual(JSON.parse(json.stdout), { removed: 3, dryRun: false });
  assert.equal((await runHere(args)).stdout, "Removed 0 records of deliveries\n");
});

test("events purge requires a retention", async () => {
  assert.equal((await runHere(["events", "purge"])).code, 2);
  for (const kept of ["0", "-1", "d", "1h", "99999999999d"])
    assert.equal((await runHere(["events", "purge", `--keep-integration-events=${kept}`])).code, 2, kept);
});

test("secrets rotate re-encrypts the secrets; everything else stays", async (t) => {
  const data = await dataFile(t, world().lines);
  const read = () => {
    const db = open(data);
    const stored = db.prepare<[], string>("SELECT parameters FROM integrations WHERE id = 1").pluck().get();
    close(db);
    return [stored, fs.readFileSync(`${data}.key`, "utf8")];
  };
  const before = read();
  const { code, stdout } = await runHere(["secrets", "rotate", "--data", data]);
  assert.deepEqual([code, /^Encrypted the secrets of 2 integrations/.test(stdout)], [0, true]);
  const after = read();
  assert.notEqual(after[0], before[0]);
  assert.notEqual(after[1], before[1]);
  const exported = await runHere(["export", "--with-secrets", "--data", data]);
  assert.match(exported.stdout, /hooks\.example\/hush/);
});

test("a server encrypts secrets that an older version stored in plain text", async (t) => {
  const data = await dataFile(t, world().lines);
  const raw = open(data);
  raw.prepare(`UPDATE integrations SET parameters = '{"url":"https://hooks.example/plain"}'`).run();
  close(raw);
  const { stop } = await serveHere(t, ["serve", "--data", data]);
  await stop();
  const db = open(data);
  t.after(() => close(db));
  const all = db.prepare<[], string>("SELECT parameters FROM integrations").pluck().all();
  for (const parameters of all) assert.match(parameters, /^\{"url":"encrypted:/);
});
