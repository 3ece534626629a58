import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type * as v from "valibot";
import { DatasetError } from "../../src/dataset/kind.ts";
import type { Database } from "../../src/db/database.ts";
import { kindNamed } from "../../src/transfer/all-kinds.ts";
import { importDataset } from "../../src/transfer/import.ts";
import { asChunks, importLines } from "../support/server.ts";
import {
  BEGIN,
  company,
  DEFAULTS,
  EVENT,
  everyKey,
  exported,
  HEADER,
  LEAST,
  type Line,
  line,
  TIME,
  toText,
} from "./examples.ts";
import { empty, lastOf, lines, refused } from "./importing.ts";

/** A database with one row of each kind. */
async function standing(t: TestContext): Promise<Database> {
  const db = empty(t);
  await importLines(db, everyKey());
  return db;
}

/** The only line that an import adds to a database with one of each kind. */
async function added(t: TestContext, line: Line): Promise<Line> {
  const db = await standing(t);
  const before = new Set(lines(db));
  assert.deepEqual(await importLines(db, [HEADER, line]), { [String(line.kind)]: 1 });
  const [text, ...others] = lines(db).filter((one) => !before.has(one) && !one.includes('"eventSeal"'));
  assert.deepEqual(others, []);
  return JSON.parse(text!);
}

for (const kind of Object.keys(LEAST)) {
  test(`a minimal line of the kind ${kind} is accepted`, async (t) => {
    const begin = new Date().toISOString();
    const stored = await added(t, line(kind));
    const expected: Line = { ...line(kind), ...DEFAULTS[kind] };
    if (expected.createdAt === "now") {
      assert.ok(String(stored.createdAt) >= begin && String(stored.createdAt) <= new Date().toISOString());
      expected.createdAt = stored.createdAt;
    }
    assert.deepEqual(stored, expected);
  });

  test(`a line of the kind ${kind} is rejected if any required key is missing`, async () => {
    for (const key of Object.keys(LEAST[kind]!)) {
      if (kind === "projectRole" && key === "user") continue; // either a user or a group
      if (kind === "token" && key === "type") continue; // without it, the other keys can't be checked
      const { [key]: _, ...rest }: Line = line(kind);
      await refused(BEGIN + toText([rest]), `line 3: ${key}: is missing`);
    }
  });

  test(`a line of the kind ${kind} is rejected if it has an unknown key`, async () => {
    for (const key of ["nonsense", "__proto__", "constructor", "Kind"]) {
      const text = BEGIN + toText([line(kind, { [key]: 1 })]);
      await refused(text, `line 3: ${key}: is not a known key`);
    }
  });
}

for (const [time, stored] of [
  ["2026-01-31T09:00:00Z", "2026-01-31T09:00:00.000Z"],
  ["2026-01-31T09:00:00.5Z", "2026-01-31T09:00:00.500Z"],
  ["2026-01-31T09:00:00.123456789Z", "2026-01-31T09:00:00.123Z"],
  ["2026-01-31T09:00:00+02:00", "2026-01-31T07:00:00.000Z"],
  ["2026-01-31T22:00:00-05:30", "2026-02-01T03:30:00.000Z"],
  ["2024-02-29T00:00:00+00:01", "2024-02-28T23:59:00.000Z"],
  ["2026-01-31t09:00:00z", "2026-01-31T09:00:00.000Z"],
  ["0050-01-01T00:00:00Z", "0050-01-01T00:00:00.000Z"],
] as const) {
  test(`the time ${time} is stored as ${stored}`, async (t) => {
    const db = empty(t);
    await importLines(db, [HEADER, { ...EVENT, createdAt: time }]);
    assert.equal(lastOf(db, "event").createdAt, stored);
  });
}

test("an interrupted input leaves nothing", async (t) => {
  const failure = new Error("the disk is gone");
  const broken = async function* () {
    yield Buffer.from(BEGIN);
    throw failure;
  };
  const db = empty(t);
  const before = exported(db);
  await assert.rejects(importDataset(db, broken()), failure);
  assert.equal(db.inTransaction, false);
  assert.equal(exported(db), before);
});

/** Optional keys of what is in a line. */
const NESTED: Record<string, Line> = {
  role: { permissions: [{ name: "X", environment: null }] },
  contextField: { legalValues: [{ value: "x", description: null }] },
  feature: {
    environments: [
      {
        name: "production",
        lastSeenAt: null,
        strategies: [{ id: null, name: "x", title: null, sortOrder: null }],
      },
    ],
  },
  notification: { recipients: [{ userId: 1, readAt: null }] },
};

for (const [kind, least] of Object.entries(LEAST)) {
  test(`null in a line of the kind ${kind} is the same as omitting the key`, async (t) => {
    const { entries } = kindNamed(kind)!.schema as v.StrictObjectSchema<v.ObjectEntries, undefined>;
    const optional = Object.keys(entries).filter(
      (key) => entries[key]!.type === "nullish" && !(key in least),
    );
    const nulls = Object.fromEntries(optional.map((key) => [key, null]));
    const stored = JSON.stringify(await added(t, line(kind, { ...nulls, ...NESTED[kind] })));
    if (kind !== "event") assert.ok(!stored.includes("null"), stored);
  });
}

test("null in the first line is the same as omitting the key", async (t) => {
  assert.deepEqual(await importLines(empty(t), [{ ...HEADER, createdAt: null, source: null }]), {});
});

test("lines are counted by kind, and progress is reported", async (t) => {
  const told: number[] = [];
  const all = company();
  const counts = await importDataset(empty(t), asChunks(toText(all)), {
    onProgress: (count) => told.push(count),
  });
  const expected: Record<string, number> = {};
  for (const { kind } of all.slice(1)) expected[kind as string] = (expected[kind as string] ?? 0) + 1;
  assert.deepEqual(counts, expected);
  assert.equal(told.at(-1), all.length);
});

for (const [name, text] of [
  ["Windows line ends", toText(everyKey()).replaceAll("\n", "\r\n")],
  ["a byte-order mark", `\uFEFF${toText(everyKey())}`],
  ["empty lines", `\n\r\n${toText(everyKey()).replaceAll("\n", "\n\n\r\n")}`],
  ["no end of the last line", toText(everyKey()).trimEnd()],
  [
    "spaces in JSON",
    everyKey()
      .map((one) => JSON.stringify(one, null, " ").replaceAll("\n", " "))
      .join("\n"),
  ],
  [
    "escapes for every other character",
    toText(everyKey()).replace(
      /[^\0-\x7f]/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  ],
] as const) {
  test(`${name} make no difference`, async (t) => {
    const db = empty(t);
    await importDataset(db, asChunks(text));
    assert.equal(exported(db), exported(await standing(t)));
  });
}

for (const size of [1, 2, 3, 7, 1000]) {
  test(`the input may come in chunks of ${size}`, async (t) => {
    const bytes = Buffer.from(`\uFEFF${toText(everyKey()).replaceAll("\n", "\r\n")}`);
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += size) {
        yield bytes.subarray(at, at + size);
        yield Buffer.alloc(0);
      }
    };
    const db = empty(t);
    await importDataset(db, pieces());
    assert.equal(exported(db), exported(await standing(t)));
  });
}

test("built-in roles may be repeated unchanged", async (t) => {
  const db = empty(t);
  await importLines(db, [
    HEADER,
    {
      kind: "role",
      id: 1,
      name: "Admin",
      type: "root",
      description: "May do everything",
      permissions: [{ name: "ADMIN", environment: null }],
    },
    { kind: "role", id: 2, name: "Editor", type: "root" },
    { kind: "role", id: 3, name: "Viewer", type: "root", description: null, permissions: [] },
    { kind: "role", id: 4, name: "Owner", type: "project" },
    { kind: "role", id: 5, name: "Member", type: "project" },
  ]);
  assert.equal(exported(db), toText([HEADER]));
  assert.equal(db.prepare("SELECT count(*) FROM roles").pluck().get(), 5);
  assert.equal(db.prepare("SELECT count(*) FROM role_permissions").pluck().get(), 0);
});

test("a dataset is added to existing data", async (t) => {
  const db = await standing(t);
  const more = [line("user"), line("feature", { createdByUserId: 9, dependencies: [{ feature: "child" }] })];
  await importLines(db, [HEADER, ...more]);
  const [before, after] = [lines(await standing(t)), lines(db)];
  assert.deepEqual(
    before.filter((text) => !after.includes(text)),
    [],
  );
  assert.equal(after.length, before.length + 2);
});

test("a rejected dataset can be corrected and imported", async (t) => {
  const db = empty(t);
  await assert.rejects(importLines(db, [...everyKey(), { kind: "flag" }]), DatasetError);
  await importLines(db, everyKey());
  assert.equal(exported(db), exported(await standing(t)));
});

test("an event without an id gets the next one", async (t) => {
  const db = empty(t);
  const event = (id?: number) => ({ ...EVENT, createdAt: TIME, ...(id && { id }) });
  await importLines(db, [HEADER, event(), event(7), event(), event(3), event()]);
  const ids = () => db.prepare("SELECT id FROM events ORDER BY id").pluck().all();
  assert.deepEqual(ids(), [1, 3, 7, 8, 9]);
  db.exec("DELETE FROM events WHERE id = 9");
  await importLines(db, [HEADER, event()]);
  assert.deepEqual(ids(), [1, 3, 7, 8, 10], "ids are not reused");
});

for (const [name, words, expected] of [
  ["kept if given", { label: "L", summary: "S" }, ["L", "S"]],
  ["kept if empty", { label: "", summary: "" }, ["", ""]],
  ["generated if missing", {}, ["Flag created", "**bob** created the flag"]],
  ["generated if null", { label: null, summary: null }, ["Flag created", "**bob** created the flag"]],
  ["generated individually", { label: "L" }, ["L", "**bob** created the flag"]],
] as const) {
  test(`an event's label and summary are ${name}`, async (t) => {
    const db = empty(t);
    await importLines(db, [HEADER, { ...EVENT, createdAt: TIME, ...words }]);
    const { label, summary } = lastOf(db, "event");
    assert.deepEqual([label, summary], expected);
  });
}

test("keys of an event's data are preserved, including __proto__", async (t) => {
  const db = empty(t);
  const data = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":1},"":"","é":"\\u0000","b":1,"a":2}';
  const text = `{"kind":"event","createdAt":"${TIME}","type":"feature-created","createdBy":"x","data":${data},"preData":${data}}`;
  await importDataset(db, asChunks(BEGIN + text));
  const wire = db.prepare<[], string>("SELECT wire FROM events").pluck().get()!;
  assert.ok(wire.includes(`"data":${data},"preData":${data}`), wire);
  assert.equal(({} as Line).isAdmin, undefined);
});

test("an event may refer to deleted things", async (t) => {
  const db = empty(t);
  const gone = { project: "gone", featureName: "gone", environment: "gone", createdByUserId: 99 };
  await importLines(db, [HEADER, { ...EVENT, ...gone, createdAt: TIME }]);
  const { project, featureName, environment, createdByUserId } = lastOf(db, "event");
  assert.deepEqual({ project, featureName, environment, createdByUserId }, gone);
});

test("an import records no events", async (t) => {
  const db = empty(t);
  await importLines(db, everyKey());
  assert.equal(db.prepare("SELECT count(*) FROM events").pluck().get(), 3);
});

/** Enough events that indexes are created at the end. */
const many = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => ({
    ...EVENT,
    id: from + index,
    createdAt: TIME,
    project: "p",
  }));

const schemaOf = (db: Database) =>
  db.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all();

test("many events leave the same schema as few, and can be searched, and so can more of them", async (t) => {
  const db = empty(t);
  for (const from of [1, 10_001, 20_001]) {
    await importLines(db, [HEADER, ...many(10_000, from)]);
    assert.deepEqual(schemaOf(db), schemaOf(empty(t)));
    const settings = (of: Database) =>
      of.prepare("SELECT k, v FROM event_searches_config WHERE k <> 'hashsize'").all();
    assert.deepEqual(settings(db), settings(empty(t)), "and how its index is merged");
    const count = (condition: string) => db.prepare(`SELECT count(*) FROM ${condition}`).pluck().get();
    assert.equal(count("events INDEXED BY events_by_project WHERE project = 'p'"), from + 9_999);
    assert.equal(count("event_searches WHERE event_searches MATCH 'CRE'"), from + 9_999);
  }
});

test("an error after many events leaves the schema and nothing else", async (t) => {
  const db = empty(t);
  const before = exported(db);
  await assert.rejects(importLines(db, [HEADER, ...many(10_001), ...many(1)]), /^Error: line 10003: event: /);
  assert.deepEqual(schemaOf(db), schemaOf(empty(t)));
  assert.equal(exported(db), before);
});

test("an import can be cancelled between all of its final steps", async (t) => {
  const db = empty(t);
  const lines = [HEADER, ...many(10_000)];
  const told: number[] = [];
  await importDataset(db, asChunks(toText(lines)), { onProgress: (read) => told.push(read) });
  const atEnd = told.filter((read) => read === lines.length).length;
  assert.ok(atEnd > 4, String(told));
  for (let last = 1; last <= atEnd; last++) {
    let calls = 0;
    const stop = () => {
      if (++calls === last) throw new Error("enough");
    };
    const text = toText([HEADER, ...many(10_000, 10_001)]);
    await assert.rejects(importDataset(empty(t), asChunks(text), { onProgress: stop }), /^Error: enough$/);
  }
});

for (const [name, keys, expected] of [
  ["past its type's expected lifetime", { createdAt: "2020-01-01T00:00:00Z" }, true],
  ["just as old, but of a permanent type", { createdAt: "2020-01-01T00:00:00Z", type: "permission" }, false],
  [
    "past its lifetime, without a recorded event",
    { createdAt: "2020-01-01T00:00:00Z", potentiallyStale: false },
    false,
  ],
  ["new, with an event recorded nevertheless", { potentiallyStale: true }, true],
] as const) {
  test(`a flag from a dataset that is ${name}`, async (t) => {
    const { potentiallyStale } = await added(t, line("feature", keys));
    assert.equal(potentiallyStale, expected);
  });
}

test("a backend token is stored as a client token", async (t) => {
  const backend = { ...LEAST.token, type: "backend", environment: "development" };
  assert.equal((await added(t, line("token", backend))).type, "client");
});
