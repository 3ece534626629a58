import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CLI } from "../../src/access/actor.ts";
import type { Database } from "../../src/db/database.ts";
import { headOf, sealLog } from "../../src/events/chain.ts";
import { write } from "../../src/events/write.ts";
import { verifyLog } from "../../src/log/proof.ts";
import { purgeEvents } from "../../src/log/purge.ts";
import { exportDataset } from "../../src/transfer/export.ts";
import { importDataset } from "../../src/transfer/import.ts";
import { asChunks } from "../support/server.ts";
import { empty } from "../transfer/importing.ts";

const COUNT = 60;

const record = (db: Database, count: number) =>
  write(db, CLI, (tx) => {
    for (let index = 0; index < count; index++)
      tx.record({
        type: "feature-updated",
        project: "p",
        featureName: `é"🚲\n${index}`,
        data: { index },
      });
  });

function openLog(t: TestContext, { old = 0 } = {}) {
  const db = empty(t);
  if (old > 0) {
    record(db, old);
    db.exec("UPDATE events SET hash = NULL");
  }
  record(db, COUNT);
  return db;
}

const found = (db: Database) => verifyLog(db).findings.map(({ problem, message }) => [problem, message]);

test("a log is proved as it was recorded, whatever is in a name, and so is what follows a remembered head", (t) => {
  const db = openLog(t);
  const head = headOf(db);
  record(db, 5);
  const { proved, unproved, gaps, findings, ok } = verifyLog(db);
  assert.deepEqual(
    { proved, unproved, gaps, findings, ok },
    { proved: 65, unproved: 0, gaps: [], findings: [], ok: true },
  );
  assert.deepEqual([verifyLog(db, head).ok, verifyLog(db, head).proved], [true, 5]);
  assert.equal(verifyLog(db, { ...head, hash: "0".repeat(64) }).ok, false);
  assert.equal(verifyLog(db, { ...head, id: 3 }).ok, false);
});

/** What somebody may do to an event in the middle of the log, in SQL, and what is said of it. */
const TAMPERINGS: Record<string, { sql(id: number): string; says(id: number): unknown[] }> = {
  "its data is changed": {
    sql: (id) => `UPDATE events SET wire = replace(wire, '"index"', '"Index"') WHERE id = ${id}`,
    says: (id) => ["changed", `event ${id} was changed`],
  },
  "its author is changed": {
    sql: (id) => `UPDATE events SET wire = json_set(wire, '$.createdBy', 'nobody') WHERE id = ${id}`,
    says: (id) => ["changed", `event ${id} was changed`],
  },
  "its time is changed": {
    sql: (id) => `UPDATE events SET wire = json_set(wire, '$.createdAt', '2020-01-01') WHERE id = ${id}`,
    says: (id) => ["changed", `event ${id} was changed`],
  },
  "it is hidden in another project": {
    sql: (id) => `UPDATE events SET project = NULL WHERE id = ${id}`,
    says: (id) => ["changed", `event ${id} was changed`],
  },
  "it is of another flag": {
    sql: (id) => `UPDATE events SET feature_name = 'other' WHERE id = ${id}`,
    says: (id) => ["changed", `event ${id} was changed`],
  },
  "it is of another change": {
    sql: (id) => `UPDATE events SET first_id = 999 WHERE id = ${id}`,
    says: (id) => ["changed", `event ${id} was changed`],
  },
  "its hash is changed": {
    sql: (id) => `UPDATE events SET hash = randomblob(32) WHERE id = ${id}`,
    says: (id) => ["changed", `event ${id} was changed`],
  },
  "its hash is removed": {
    sql: (id) => `UPDATE events SET hash = NULL WHERE id = ${id}`,
    says: (id) => ["changed", `event ${id} was changed`],
  },
  "it is removed": {
    sql: (id) => `DELETE FROM events WHERE id = ${id}`,
    says: (id) => ["removed", `event ${id} was removed`],
  },
  "it is removed with the next two": {
    sql: (id) => `DELETE FROM events WHERE id BETWEEN ${id} AND ${id + 2}`,
    says: (id) => ["removed", `events ${id} to ${id + 2} were removed`],
  },
  "all up to it are removed": {
    sql: (id) => `DELETE FROM events WHERE id <= ${id}`,
    says: (id) => ["removed", id === 1 ? "event 1 was removed" : `events 1 to ${id} were removed`],
  },
  "all from it on are removed": {
    sql: (id) => `DELETE FROM events WHERE id >= ${id}`,
    says: (id) => ["removed", `events ${id} to ${COUNT} were removed`],
  },
  "it is swapped with the next one": {
    sql: swap(1),
    says: (id) => ["swapped", `event ${id + 1} stands in the place of event ${id}`],
  },
  "it is swapped with a later one": {
    sql: swap(3),
    says: (id) => ["swapped", `event ${id + 3} stands in the place of event ${id}`],
  },
};

function swap(distance: number) {
  const all = "type, project, feature_name, wire, first_id, hash";
  return (id: number) => `
    CREATE TEMP TABLE two AS SELECT * FROM events WHERE id IN (${id}, ${id + distance});
    UPDATE events SET (${all}) = (SELECT ${all} FROM two WHERE two.id <> events.id)
    WHERE id IN (SELECT id FROM two)`;
}

const ROUNDS = Number(process.env.TAMPER_ROUNDS ?? 8);

for (const [name, { sql, says }] of Object.entries(TAMPERINGS))
  test(`an event in the log: ${name}`, (t) => {
    const db = openLog(t);
    for (let round = 0; round < ROUNDS; round++) {
      const id = round === 0 ? 1 : 1 + Math.floor(Math.random() * (COUNT - 5));
      db.exec(`SAVEPOINT tampering; ${sql(id)}`);
      assert.deepEqual(found(db)[0], says(id), `event ${id}`);
      if (!name.includes("swapped")) assert.equal(found(db).length, 1, `event ${id}: ${found(db)}`);
      else assert.deepEqual(found(db).length, 2, `event ${id}: ${found(db)}`);
      db.exec("ROLLBACK TO tampering; RELEASE tampering");
    }
    assert.equal(verifyLog(db).ok, true);
    if (name.includes("swapped")) return;
    db.exec(sql(COUNT));
    assert.equal(verifyLog(db).ok, false, "the last event");
  });

test("an event inserted where one id was free, or at the end", (t) => {
  const db = openLog(t);
  db.exec("UPDATE sqlite_sequence SET seq = 70 WHERE name = 'events'");
  write(db, CLI, (tx) => sealLog(tx, "purge"));
  record(db, 10);
  for (const hash of ["randomblob(32)", "NULL", "(SELECT hash FROM events WHERE id = 60)"])
    for (const id of [61, 65, 70, 81]) {
      db.exec(
        `SAVEPOINT tampering; INSERT INTO events (id, type, wire, hash) VALUES (${id}, 'x', '{"id":${id}}', ${hash})`,
      );
      assert.equal(verifyLog(db).ok, false, `${id} with ${hash}`);
      db.exec("ROLLBACK TO tampering; RELEASE tampering");
    }
});

test("the chain of an older file begins with the next change, and a seal keeps what was before", (t) => {
  const db = openLog(t, { old: 20 });
  const { ok, proved, unproved, gaps } = verifyLog(db);
  assert.deepEqual(
    [ok, proved, unproved, gaps.map(({ reason, afterId }) => [reason, afterId])],
    [true, COUNT, 20, [["upgrade", 20]]],
  );
  for (const [sql, problem] of [
    ["UPDATE events SET wire = '{}' WHERE id = 5", "changed"],
    ["DELETE FROM events WHERE id = 5", "removed"],
    ["INSERT INTO events (id, type, wire) VALUES (99, 'x', '{}')", "inserted"],
    ["UPDATE event_seals SET content = json_set(content, '$.afterId', 30)", "changed"],
    ["DELETE FROM event_seals", "changed"],
  ] as const) {
    db.exec(`SAVEPOINT tampering; ${sql}`);
    assert.ok(
      found(db).some(([name]) => name === problem),
      `${sql}: ${found(db)}`,
    );
    db.exec("ROLLBACK TO tampering; RELEASE tampering");
  }
});

test("an export carries the chain, and an import of it keeps it unless something was tampered with", async (t) => {
  const db = openLog(t, { old: 20 });
  const text = [...exportDataset(db)].join("");
  const copy = empty(t);
  for (const [what, with_] of [
    [/"index":7\}/, '"index":8}'],
    [/\{"kind":"event","id":40,.*\n/, ""],
    [/\{"kind":"eventSeal",.*\n/, ""],
    [/,"hash":"[0-9a-f]+"\}\n\{"kind":"eventSeal"/, '}\n{"kind":"eventSeal"'],
  ] as const) {
    const tampered = text.replace(what, with_);
    assert.notEqual(tampered, text);
    await assert.rejects(
      importDataset(copy, asChunks(tampered)),
      /log of events is not as it was recorded/,
      String(what),
    );
  }
  await importDataset(copy, asChunks(text));
  assert.deepEqual(verifyLog(copy), verifyLog(db));
  record(copy, 1);
  assert.deepEqual([verifyLog(copy, headOf(db)).ok, verifyLog(copy).proved], [true, COUNT + 1]);
});

/** As if each event had been recorded on a day of its own. */
function onDays(db: Database) {
  const at = "date('2026-01-01', id || ' days') || 'T00:00:00.000Z'";
  db.exec(
    `UPDATE events SET wire = json_set(wire, '$.createdAt', ${at}), hash = NULL; DELETE FROM event_seals`,
  );
  write(db, CLI, (tx) => sealLog(tx, "import"));
}

const purge = (db: Database, time: string) => write(db, CLI, (tx) => purgeEvents(tx, time));

test("a purge leaves a sealed gap, and what is left is proved", (t) => {
  const db = openLog(t);
  onDays(db);
  const head = headOf(db);
  record(db, 10);
  assert.equal(purge(db, "2026-01-21T00:00:00.000Z"), 19);
  assert.deepEqual([verifyLog(db).ok, verifyLog(db).proved, verifyLog(db).unproved], [true, 10, 41]);
  assert.equal(verifyLog(db, head).ok, true, "a head that was kept before");
  record(db, 5);
  assert.equal(purge(db, "2026-01-25T00:00:00.000Z"), 4);
  assert.equal(purge(db, "2026-01-25T00:00:00.000Z"), 0);
  const { ok, gaps } = verifyLog(db);
  assert.deepEqual(
    [ok, gaps.map(({ reason, purgedId }) => [reason, purgedId])],
    [
      true,
      [
        ["import", 0],
        ["purge", 19],
        ["purge", 23],
      ],
    ],
  );
  db.exec("SAVEPOINT tampering; DELETE FROM events WHERE id = 24");
  assert.equal(verifyLog(db).ok, false);
  db.exec("ROLLBACK TO tampering; RELEASE tampering");
  for (const id of [65, 66, 75]) {
    db.exec(`SAVEPOINT tampering; DELETE FROM events WHERE id <= ${id}`);
    assert.equal(verifyLog(db).ok, false, `all up to ${id} without a seal`);
    db.exec("ROLLBACK TO tampering; RELEASE tampering");
  }
  assert.equal(purge(db, "2099-01-01T00:00:00.000Z"), 52);
  assert.equal(verifyLog(db).ok, true, "nothing is left");
  record(db, 3);
  assert.deepEqual([verifyLog(db).ok, verifyLog(db).proved], [true, 3]);
  assert.equal(verifyLog(db, head).ok, false);
});

test("events of a chain that are imported without their hashes are sealed", async (t) => {
  const db = openLog(t);
  const line = {
    kind: "event",
    createdAt: "2026-01-01T00:00:00Z",
    type: "feature-created",
    createdBy: "bob",
  };
  await importDataset(
    db,
    asChunks(
      [{ kind: "dataset", version: 1 }, line, { ...line, id: 99 }]
        .map((one) => `${JSON.stringify(one)}\n`)
        .join(""),
    ),
  );
  record(db, 2);
  assert.deepEqual([verifyLog(db).ok, verifyLog(db).proved, verifyLog(db).unproved], [true, COUNT + 2, 2]);
  assert.equal(verifyLog(db).gaps[0]!.afterId, 99);
});
