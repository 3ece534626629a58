import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CLI } from "../../src/access/actor.ts";
import { hashSecret } from "../../src/access/token.ts";
import type { Database } from "../../src/db/database.ts";
import { command } from "../../src/db/statement.ts";
import { write } from "../../src/events/write.ts";
import { importDataset } from "../../src/transfer/import.ts";
import { asChunks, importLines } from "../support/server.ts";
import { CLIENT, personal } from "../support/world.ts";
import { openBoth, requireFresh, seen, toRequest } from "./both-servers.ts";

/** SQL that together has the effects of every change. Run twice, each statement is undone or repeated. */
const CHANGES = [
  "UPDATE projects SET mode = CASE mode WHEN 'private' THEN 'open' ELSE 'private' END WHERE id = 'open'",
  "UPDATE users SET root_role = 4 - root_role WHERE id = 3",
  "UPDATE groups SET root_role = CASE WHEN root_role IS NULL THEN 1 END",
  "INSERT INTO project_group_roles SELECT 'open', 1, 5 WHERE NOT EXISTS (SELECT 1 FROM project_group_roles)",
  "DELETE FROM project_group_roles",
  "INSERT OR IGNORE INTO feature_favorites VALUES ('f', 3)",
  "DELETE FROM feature_favorites",
  "UPDATE strategies SET disabled = 1 - disabled",
  "UPDATE features SET stale = 1 - stale, archived_at = NULL WHERE name = 'f'",
  "UPDATE features SET archived_at = '2026-01-01T00:00:00.000Z' WHERE name = 'f'",
  "UPDATE users SET name = 'later', seen_at = '2026-01-01T00:00:00.000Z'",
  "UPDATE notification_recipients SET read_at = '2026-01-01T00:00:00.000Z'",
  "UPDATE integration_events SET state_details = state_details || '!'",
  "UPDATE tokens SET expires_at = CASE WHEN expires_at IS NULL THEN '2020-01-01T00:00:00.000Z' END WHERE id = 2",
  "UPDATE tokens SET hash = CASE hash WHEN lower(hash) THEN upper(hash) ELSE lower(hash) END WHERE id = 3",
  "DELETE FROM events WHERE id = (SELECT max(id) FROM events)",
] as const;

/** The same transaction as for any change. */
const change = (db: Database, sql: string) => write(db, CLI, (tx) => command(sql)(tx).run({}));

test("no response is stale after any change, whoever made it", async () => {
  const aChange = fc.record({ sql: fc.constantFrom(...CHANGES), isOwn: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(aChange, { minLength: 5, maxLength: 10 }), async (changes) => {
      const both = await openBoth(undefined);
      try {
        await requireFresh(both, "nothing");
        for (const { sql, isOwn } of changes) {
          change(isOwn ? both.db : both.other, sql);
          await requireFresh(both, `${sql} by ${isOwn ? "the server" : "another"}`);
        }
      } finally {
        both.done();
      }
    }),
    { numRuns: Number(process.env.ANSWERS_RUNS ?? 2) },
  );
});

test("of equal requests at once, only the first is processed", async (t) => {
  const { get, misses } = await openBoth(t);
  const atOnce = (path: string) =>
    Promise.all(Array.from({ length: 10 }, () => get(path, { authorization: personal(1) })));
  await Promise.all((await atOnce("user")).map((response) => response.text())); // opens the connections
  const before = misses();
  const responses = await atOnce("search/features?query=f");
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
  assert.equal(misses() - before, 1);
});

test("every single change invalidates the responses", async (t) => {
  const both = await openBoth(t);
  for (const sql of CHANGES) {
    for (const connection of [both.db, both.other]) {
      change(connection, sql);
      await requireFresh(both, sql);
    }
  }
});

test("imported data shows once the import is done, and nothing of it before", async (t) => {
  const both = await openBoth(t);
  const line = {
    kind: "event",
    createdAt: "2026-02-02T00:00:00Z",
    type: "feature-created",
    createdBy: "late",
  };
  for (const connection of [both.db, both.other]) {
    await requireFresh(both, "nothing");
    const text = [{ kind: "dataset", version: 1 }, line].map((one) => JSON.stringify(one)).join("\n");
    await importDataset(connection, asChunks(text));
    await requireFresh(both, "an import");
  }
});

test("a repeated read does not reach the app, whoever sends it; a 304 needs no body", async (t) => {
  const { get, misses } = await openBoth(t);
  const headers = { authorization: personal(1) };
  const first = await get("events", headers);
  const etag = first.headers.get("etag")!;
  assert.equal(misses(), 1);
  const again = await get("events", headers);
  assert.deepEqual(
    [...again.headers].filter(([name]) => name !== "date"),
    [...first.headers].filter(([name]) => name !== "date"),
  );
  assert.equal(await again.text(), await first.text());
  const known = await get("events", { ...headers, "if-none-match": `"x", W/${etag}` });
  assert.deepEqual([known.status, known.headers.get("etag"), await known.text()], [304, etag, ""]);
  assert.equal(misses(), 1);
  assert.equal((await get("events", { authorization: personal(2) })).status, 200);
  assert.equal((await get("events", {})).status, 401);
  assert.equal(misses(), 3);
});

test("applications told apart only by X-API-Key never get each other's responses", async (t) => {
  const { db, get } = await openBoth(t);
  const secret = `*:production.${"p".repeat(56)}`;
  const token = { kind: "token", type: "client", name: "another", environment: "production" };
  await importLines(db, [
    { kind: "dataset", version: 1 },
    { ...token, hash: hashSecret(secret) },
  ]);
  const environmentOf = async (key: string) => {
    const answer = await get("../client/features", { "x-api-key": key, cookie: "any=thing" });
    const { query } = (await answer.json()) as { query: { environment: string } };
    return query.environment;
  };
  for (const _ of ["first", "repeated"]) {
    assert.equal(await environmentOf(CLIENT), "development");
    assert.equal(await environmentOf(secret), "production");
  }
});

test("a repeated search is cached, compressed or not, until an event is recorded", async (t) => {
  const { db, get, found } = await openBoth(t);
  const long = { type: "feature-created", createdBy: "somebody", data: { text: "x".repeat(2000) } };
  await importLines(db, [
    { kind: "dataset", version: 1 },
    { kind: "event", createdAt: "2026-02-02T00:00:00Z", ...long },
  ]);
  const search = async (query: string, encoding: string) => {
    const headers = { authorization: personal(1), "accept-encoding": encoding };
    const answer = await get(`events/search {"query":"${query}"}`, headers);
    assert.equal(answer.headers.get("content-encoding"), encoding === "gzip" ? encoding : null);
    return answer.text();
  };
  for (const [index, encoding] of ["identity", "gzip"].entries()) {
    const first = await search("feature", encoding);
    assert.equal(found(), index);
    assert.equal(await search("feature", encoding), first);
    assert.equal(found(), index + 1);
  }
  await search("another", "identity");
  change(db, "UPDATE segments SET name = name");
  await search("feature", "identity");
  assert.equal(found(), 3);
  change(db, "DELETE FROM events WHERE id = (SELECT max(id) FROM events)");
  await search("feature", "identity");
  assert.equal(found(), 3);
});

test("a search is cached by its body, however deeply nested", async (t) => {
  const { get, found } = await openBoth(t);
  const body = `{"nope":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  for (const index of [0, 1]) {
    assert.equal((await get(`events/search ${body}`, { authorization: personal(1) })).status, 200);
    assert.equal(found(), index);
  }
});

test("the partial result of a search whose client disconnects is not cached", async (t) => {
  const { db, plain, get, found } = await openBoth(t);
  const many = Array.from({ length: 5000 }, (_, n) => ({
    kind: "event",
    createdAt: "2026-02-02T00:00:00Z",
    type: "feature-created",
    createdBy: n < 10 ? "rare-ab-rare-cd" : "rare-cd-ab",
  }));
  await importLines(db, [{ kind: "dataset", version: 1 }, ...many]);
  const read = 'events/search {"query":"rare-ab"}'; // all of them contain its trigrams
  const headers = { authorization: personal(1) };
  const [path, init] = toRequest(read, headers);
  const { url } = await get(read, headers);
  const expected = await seen(await plain.request(`/api/admin/${path}`, init));
  change(db, "DELETE FROM events WHERE id = (SELECT max(id) FROM events WHERE wire LIKE '%rare-cd-ab%')");
  for (let wait = 0; wait < 20; wait++) {
    const gone = new AbortController();
    const asked = fetch(url, { ...init, signal: gone.signal }).catch(() => {});
    for (let turn = 0; turn < wait; turn++) await new Promise(setImmediate);
    gone.abort();
    await asked;
    if (found() > 0) break;
  }
  assert.deepEqual(await seen(await get(read, headers)), expected);
});

test("a response is not cached beyond the token's expiry", async (t) => {
  const { db, get } = await openBoth(t);
  const soon = new Date(Date.now() + 400).toISOString();
  change(db, `UPDATE tokens SET expires_at = '${soon}' WHERE id = 1`);
  const headers = { authorization: personal(1) };
  assert.equal((await get("events", headers)).status, 200);
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal((await get("events", headers)).status, 401);
});

test("the cache is bounded", async (t) => {
  const { db, get, misses } = await openBoth(t);
  const big = {
    kind: "event",
    createdAt: "2026-02-02T00:00:00Z",
    type: "feature-created",
    createdBy: "late",
  };
  await importLines(db, [
    { kind: "dataset", version: 1 },
    { ...big, data: { text: "x".repeat(200_000) } },
  ]);
  const headers = { authorization: personal(1), "accept-encoding": "identity" };
  await (await get("events?n=first", headers)).text();
  for (let n = 0; n < 100; n++) await (await get(`events?n=${n}`, headers)).text();
  const before = misses();
  await (await get("events?n=99", headers)).text();
  assert.equal(misses(), before, "the newest is still cached");
  await (await get("events?n=first", headers)).text();
  assert.equal(misses(), before + 1, "the oldest was evicted");
});

test("a response that shows usage is cached for seconds", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse("2026-05-01T00:00:01.000Z") });
  const { get, misses } = await openBoth(t);
  const headers = { authorization: personal(1) };
  const ask = async () => {
    for (const read of ["projects/open/features/f", "projects/open/features"])
      await (await get(read, headers)).text();
    return misses();
  };
  const first = await ask();
  t.mock.timers.tick(4_999);
  assert.equal(await ask(), first);
  t.mock.timers.tick(1);
  assert.equal(await ask(), first + 1);
});
