import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { open } from "../../src/db/open.ts";
import { listen } from "../../src/http/node-server.ts";
import type { LogLine } from "../../src/lib/logger.ts";
import { createServer } from "../../src/server/app.ts";
import { importLines, newDatabase } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";

/*
 * Damage to the file must not crash a running server: an administrator has to be able to ask what is wrong.
 */

const CONTENT = await (async () => {
  const world = createWorld().project("a").feature("f", "a");
  for (let id = 1; id <= 3000; id++) world.event({ project: "a", data: { text: "word ".repeat(100) } });
  const db = newDatabase();
  await importLines(db, world.lines);
  return db.serialize();
})();

async function serveFile(t: TestContext) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-damaged-"));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const file = path.join(folder, "flags.db");
  fs.writeFileSync(file, CONTENT);
  const db = open(file); // with nothing cached yet
  t.after(() => db.close());
  const logged: LogLine[] = [];
  const log = (line: LogLine) => void logged.push(line);
  const { listener } = createServer({ db, log });
  const listening = await listen(listener, { host: "127.0.0.1", port: 0, log });
  t.after(() => listening.close());
  const statuses = (outside: { authorization?: string }) =>
    Promise.all(
      READS.map(async ([read, body]) => {
        const post = body === undefined ? {} : { method: "POST", body };
        const headers = {
          ...(read.startsWith("/api/") ? CREDENTIAL : outside),
          "content-type": "application/json",
        };
        const response = await fetch(listening.url + read, { headers, ...post });
        const text = await response.text().catch(() => "broken off");
        assert.doesNotMatch(text, /sqlite|malformed|SELECT/i);
        return response.status;
      }),
    );
  const create = async (name: string) => {
    const headers = { ...CREDENTIAL, "content-type": "application/json" };
    const body = JSON.stringify({ name });
    return fetch(`${listening.url}/api/admin/projects/a/features`, { method: "POST", headers, body });
  };
  return { file, logged, statuses, create };
}

const CREDENTIAL = { authorization: personal(1) };

const READS: ReadonlyArray<[path: string, body?: string]> = [
  ["/health"],
  ["/"],
  ["/?from=/api/"],
  ["/ready"],
  ["/api/admin/events"],
  ["/api/admin/events?project=a"],
  ["/api/admin/projects/a/features"],
  ["/api/admin/personal-dashboard"],
  ["/api/admin/user-admin/1"],
  ["/api/admin/events/search", '{"query":"word"}'],
];

/** Kinds of damage, and the expected result. */
const HARM: Array<[name: string, harm: (file: string) => void]> = [
  ["it is truncated to nothing", (file) => fs.truncateSync(file, 0)],
  [
    "it is truncated to half",
    (file) => fs.truncateSync(file, 4096 * Math.floor(fs.statSync(file).size / 8192)),
  ],
  ["it is overwritten with zeros", (file) => fs.writeFileSync(file, Buffer.alloc(fs.statSync(file).size))],
  [
    "every tenth page is flipped",
    (file) => {
      const bytes = fs.readFileSync(file);
      for (let at = 4096; at < bytes.length; at += 40_960) bytes.fill(0xa5, at, at + 4096);
      fs.writeFileSync(file, bytes);
    },
  ],
  [
    "another file is moved into its place",
    (file) => {
      fs.writeFileSync(`${file}.other`, "no database");
      fs.renameSync(`${file}.other`, file);
    },
  ],
  ["it is removed", (file) => fs.rmSync(file)],
];

for (const [name, harm] of HARM) {
  test(`${name}: the server keeps running and reports it`, async (t) => {
    const { file, logged, statuses } = await serveFile(t);
    harm(file);
    // Paths outside the API need no credential, but some clients always send one.
    for (const outside of [{}, CREDENTIAL]) {
      const [health, front, page, ready, ...others] = await statuses(outside);
      assert.deepEqual([health, front, page], [200, 200, 200]);
      if (/moved|removed/.test(name)) assert.equal(ready, 503);
      assert.ok(
        others.every((status) => [200, 401, 404, 500, 503].includes(status)),
        String(others),
      );
    }
    const unexplained = logged.filter(
      (line) => line.level === "error" && !/sqlite|was moved/i.test(`${line.cause} ${line.message}`),
    );
    assert.deepEqual(unexplained, []);
  });
}

const MOVES: Array<[name: string, move: (file: string) => void]> = [
  ["a copy is moved into its place", (file) => fs.renameSync(copied(file), file)],
  ["it is removed", (file) => fs.rmSync(file)],
  ["it is moved away", (file) => fs.renameSync(file, `${file}.away`)],
  [
    "it is removed and a copy restored",
    (file) => {
      copied(file);
      fs.rmSync(file);
      fs.copyFileSync(`${file}.copy`, file);
    },
  ],
];

function copied(file: string) {
  fs.copyFileSync(file, `${file}.copy`);
  return `${file}.copy`;
}

for (const [name, move] of MOVES)
  test(`${name}: changes are refused until the file is back in its place`, async (t) => {
    const { file, create } = await serveFile(t);
    assert.equal((await create("before")).status, 201);
    fs.linkSync(file, `${file}.open`);
    move(file);
    for (const flag of ["one", "two"]) {
      const reply = await create(flag);
      const { message } = (await reply.json()) as { message: string };
      assert.equal(reply.status, 503);
      assert.match(
        message,
        /^The data file, or .* was moved, replaced or removed while it was open: start the server/,
      );
    }
    fs.renameSync(`${file}.open`, file);
    assert.equal((await create("one")).status, 201, "nothing was stored before");
  });

test("its write-ahead log is removed: changes are refused until it is back in its place", async (t) => {
  const { file, create, statuses } = await serveFile(t);
  fs.renameSync(`${file}-wal`, `${file}.away`);
  assert.equal((await create("lost")).status, 503);
  assert.equal((await statuses({}))[3], 503, "/ready");
  fs.renameSync(`${file}.away`, `${file}-wal`);
  assert.equal((await create("lost")).status, 201, "nothing was stored before");
});
