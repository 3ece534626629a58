import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_JSON_BYTES, MAX_JSON_DEPTH, MAX_TEXT_LENGTH } from "../../src/lib/limits.ts";
import { importDataset } from "../../src/transfer/import.ts";
import { asChunks, importLines, openServer } from "../support/server.ts";
import { createWorld, SERVICE } from "../support/world.ts";
import { BEGIN, EVENT, exported, HEADER, line, TIME, toText } from "./examples.ts";
import { empty, lastOf, refused } from "./importing.ts";

/** Nested objects as JSON text: `{}` has a depth of one. */
const deep = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
const list = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

/** A line with this JSON text as the value of a key. */
const withJson = (kind: string, key: string, json: string) =>
  toText([line(kind, { [key]: "HERE" })]).replace('"HERE"', json);

for (const [kind, key] of [
  ["event", "data"],
  ["event", "preData"],
  ["integration", "parameters"],
  ["integrationEvent", "details"],
] as const) {
  for (const json of [deep(MAX_JSON_DEPTH + 1), list(MAX_JSON_DEPTH + 1), deep(1000), list(1_000_000)]) {
    test(`${kind} with ${key} of ${json.length} characters nested too deeply is rejected`, () =>
      refused(
        BEGIN + withJson(kind, key, json),
        `line 3: ${key}: must not be nested deeper than ${MAX_JSON_DEPTH} levels`,
      ));
  }
}

test("deeply nested parameters of a strategy are rejected", () => {
  const strategies = `[{"name":"x","parameters":${deep(100_000)}}]`;
  const text = withJson("feature", "environments", `[{"name":"production","strategies":${strategies}}]`);
  return refused(
    BEGIN + text,
    `line 3: environments: must not be nested deeper than ${MAX_JSON_DEPTH} levels`,
  );
});

test("data of the maximum depth is stored, returned, searched and exported", async (t) => {
  const { request, db } = await openServer(t);
  const text =
    withJson("event", "data", deep(MAX_JSON_DEPTH)) + withJson("event", "preData", list(MAX_JSON_DEPTH));
  await importDataset(db, asChunks(toText([HEADER]) + text));
  assert.equal((await request("/api/admin/events")).body.events.length, 2);
  const body = { query: '{"A":{' };
  assert.equal((await request("/api/admin/events/search", { method: "POST", body })).body.events.length, 1);
  const again = empty(t);
  await importDataset(again, asChunks(exported(db)));
  assert.equal(exported(again), exported(db));
});

const JSON_TOO_LONG = `is longer than ${MAX_JSON_BYTES} bytes as JSON`;

/** An event whose JSON has this many bytes in a response. */
function eventOf(bytes: number, character = "x") {
  const event = (text: string) => ({
    id: 9,
    createdAt: TIME,
    type: "feature-created",
    createdBy: "bob",
    createdByUserId: null,
    environment: null,
    project: null,
    featureName: null,
    data: { text },
    preData: null,
    tags: [],
    label: "",
    summary: "",
  });
  const rest = bytes - Buffer.byteLength(JSON.stringify(event("")));
  const size = Buffer.byteLength(character);
  return { kind: "event", ...event(character.repeat(rest / size) + "x".repeat(rest % size)) };
}

for (const character of ["x", "é", "検"]) {
  test(`an event of the maximum size in ${character} is stored and exported, a longer one is rejected`, async (t) => {
    const db = empty(t);
    await importLines(db, [HEADER, eventOf(MAX_JSON_BYTES, character)]);
    const again = empty(t);
    await importDataset(again, asChunks(exported(db)));
    assert.equal(exported(again), exported(db));
    const text = toText([eventOf(MAX_JSON_BYTES + 1, character)]);
    await refused(BEGIN + text, `line 3: event: ${JSON_TOO_LONG}`);
  });
}

test("an event that exceeds the maximum when stored is rejected", () => {
  const data = `{"a":[${Array(100_000).fill("1e20").join(",")}]}`;
  return refused(BEGIN + withJson("event", "data", data), `line 3: event: ${JSON_TOO_LONG}`);
});

for (const [kind, key] of [
  ["integration", "parameters"],
  ["integrationEvent", "details"],
] as const) {
  test(`${kind} with an overlong ${key} is rejected`, () => {
    const text = toText([line(kind, { [key]: { text: "x".repeat(MAX_JSON_BYTES) } })]);
    return refused(BEGIN + text, `line 3: ${key}: ${JSON_TOO_LONG}`);
  });
}

test("a hundred events of the maximum size fit in one response", async (t) => {
  const world = createWorld();
  const { data } = eventOf(MAX_JSON_BYTES - 1000);
  for (let count = 0; count < 100; count++) world.event({ ...EVENT, data });
  const { app, db } = await openServer(t, createWorld());
  await importLines(db, [HEADER, ...world.lines.filter(({ kind }) => kind === "event")]);
  const reply = await app.request("/api/admin/events", { headers: { authorization: SERVICE } });
  assert.equal(reply.status, 200);
  assert.ok((await reply.arrayBuffer()).byteLength > 100 * (MAX_JSON_BYTES - 1000));
});

for (const [kind, key] of [
  ["environment", "name"],
  ["feature", "description"],
  ["user", "username"],
  ["integrationEvent", "stateDetails"],
  ["notification", "message"],
] as const) {
  test(`${kind} with an overlong ${key} is rejected`, () => {
    const text = toText([line(kind, { [key]: "x".repeat(MAX_TEXT_LENGTH + 1) })]);
    return refused(BEGIN + text, `line 3: ${key}: must have ${MAX_TEXT_LENGTH} characters or fewer`);
  });
}

test("a text of the maximum length is stored", async (t) => {
  const db = empty(t);
  await importLines(db, [HEADER, line("tagType", { description: "検".repeat(MAX_TEXT_LENGTH) })]);
  assert.equal(String(lastOf(db, "tagType").description).length, MAX_TEXT_LENGTH);
});

test("a line with millions of errors is rejected for the first, quickly and with little memory", async () => {
  const before = process.memoryUsage().rss;
  const users = `[${Array(5_000_000).fill("0").join(",")}]`;
  await refused(BEGIN + withJson("group", "users", users), "line 3: users.0: must be 1 or more");
  assert.ok(process.memoryUsage().rss - before < 1_000_000_000);
});

test("a message that quotes the line is truncated", async (t) => {
  const text = toText([line("tagType", { ["x".repeat(1_000_000)]: 1 })]);
  await assert.rejects(importDataset(empty(t), asChunks(BEGIN + text)), (error: Error) => {
    assert.match(error.message, /^line 3: xxx/);
    return error.message.length < 600;
  });
});
