import assert from "node:assert/strict";
import { test } from "node:test";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { importDataset } from "../../src/transfer/import.ts";
import { asChunks, importLines } from "../support/server.ts";
import { exported, HEADER, line, TIME, toText } from "./examples.ts";
import { empty, lines } from "./importing.ts";

const environment = (name: string, sortOrder: number) => ({
  kind: "environment",
  name,
  type: name,
  sortOrder,
  enabled: true,
  protected: false,
  askBeforeChange: false,
});

const field = (name: string, description: string, sortOrder: number, stickiness = false) => ({
  kind: "contextField",
  name,
  description,
  stickiness,
  sortOrder,
  legalValues: [],
});

test("a new file has a project, two environments, a tag type and the context fields of every SDK", (t) => {
  const begin = new Date(Date.now() - 60_000).toISOString();
  const db = open(IN_MEMORY); // not a copy of an earlier one
  t.after(() => close(db));
  const stored = lines(db).map((text) => JSON.parse(text));
  const times = stored.flatMap(({ createdAt = [] }) => createdAt);
  assert.equal(times.length, 6);
  for (const time of times) {
    assert.ok(time > begin && time <= new Date().toISOString());
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  const withoutTimes = stored.map(({ createdAt: _, ...rest }) => rest);
  assert.deepEqual(withoutTimes, [
    HEADER,
    environment("development", 2),
    environment("production", 3),
    {
      kind: "project",
      id: "default",
      name: "Default",
      description: "Default project",
      mode: "open",
      defaultStickiness: "default",
      environments: ["development", "production"],
      favoritedBy: [],
    },
    { kind: "tagType", name: "simple", description: "Any text", icon: "#" },
    field("appName", "The application's name", 2),
    field("currentTime", "The time of the evaluation", 3),
    field("environment", "The environment the application runs in", 0),
    field("sessionId", "The session's id", 4, true),
    field("userId", "The user's id", 1),
  ]);
});

test("an import into a new file replaces its initial content", async (t) => {
  const db = empty(t);
  const own = [environment("moon", 1), line("tagType", { name: "simple" })];
  await importLines(db, [HEADER, ...own]);
  assert.equal(exported(db), toText([HEADER, ...own]));
});

test("the export of a new file stays the same when imported into another new file", async (t) => {
  const [first, second] = [empty(t), empty(t)];
  first.exec(`UPDATE projects SET created_at = '${TIME}'`);
  await importDataset(second, asChunks(exported(first)));
  assert.equal(exported(second), exported(first));
});

test("a rejected import keeps the initial content", async (t) => {
  const db = empty(t);
  const before = exported(db);
  await assert.rejects(importLines(db, [HEADER, environment("moon", 1), { kind: "flag" }]));
  assert.equal(exported(db), before);
});

for (const [name, sql] of [
  ["a user", "INSERT INTO users (username, created_at) VALUES ('ada', '')"],
  [
    "a token",
    "INSERT INTO tokens (type, name, hash, created_at) VALUES ('admin', 'ci', printf('%064d', 0), '')",
  ],
  ["a flag", "INSERT INTO features (name, project, created_at) VALUES ('f', 'default', '')"],
  ["another project", "INSERT INTO projects (id, name, created_at) VALUES ('b', 'b', '')"],
  ["another name of the project", "UPDATE projects SET name = 'Ours'"],
  ["another order of environments", "UPDATE environments SET sort_order = 1 WHERE name = 'production'"],
  ["fewer environments of the project", "DELETE FROM project_environments WHERE environment = 'production'"],
  ["no tag type", "DELETE FROM tag_types"],
  ["fewer context fields", "DELETE FROM context_fields WHERE name = 'userId'"],
] as const) {
  test(`an import adds to a file with ${name}`, async (t) => {
    const db = empty(t);
    db.exec(sql);
    const before = lines(db);
    await importLines(db, [HEADER, environment("moon", 1)]);
    const after = lines(db);
    assert.deepEqual(
      before.filter((text) => !after.includes(text)),
      [],
    );
    assert.equal(after.length, before.length + 1);
  });
}
