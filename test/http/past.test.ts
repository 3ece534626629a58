import assert from "node:assert/strict";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { writeSeen } from "../../src/access/seen.ts";
import type { Database } from "../../src/db/database.ts";
import type { Operation } from "../../src/http/operation.ts";
import { isOfToday } from "../../src/http/past.ts";
import { createServer } from "../../src/server/app.ts";
import { OPERATIONS } from "../../src/server/surfaces.ts";
import { exampleUrl, exampleWorld } from "../support/examples.ts";
import { openServer } from "../support/server.ts";
import { CLIENT, createWorld, FRONTEND, personal } from "../support/world.ts";

const lastEvent = (db: Database) =>
  db.prepare<[], number>("SELECT ifnull(max(id), 0) FROM events").pluck().get()!;

type Send = (
  path: string,
  call: { method?: string; as?: string; body?: unknown },
) => Promise<{ status: number; text: string }>;

/** Numbers that a server counts while it runs, who was seen meanwhile, and what time it is, as JSON or CSV. */
const OF_NOW =
  /"eventId":\d+|"revisionId":\d+,"etag":"[^,]*"|"(lastSeen|seenAt|timestamp)":(null|"[^"]*")|^"20\d\d-[^"]*"/gm;

/** The example of an operation, as of an event if one is given. @returns status and body, without the id of an error */
async function sendExample(send: Send, operation: Operation, { as = personal(1), at = 0 } = {}) {
  const { method, example: body } = operation;
  const { status, text } = await send(exampleUrl(operation, at > 0 ? { at: String(at) } : {}), {
    method,
    as,
    body,
  });
  return `${status} ${status === 200 ? text.replace(OF_NOW, "") : ""}`;
}

/** What the operations that are examples of each other's rows leave of them. */
const ENDS = /deleteProject|archiveProject|deleteServiceAccount/;

/** Changes also of what no history is kept of, or of whether the caller may make others. */
const PARTLY_OF_TODAY = /change-request|invite|\/auth|token|maintenance/;

const CHANGES = OPERATIONS.filter(
  ({ id, path, changes, records }) => changes && records && !ENDS.test(id) && !PARTLY_OF_TODAY.test(path),
);

/** The changes of which a history is kept; everything else is always as it is today. */
async function changesKept(t: TestContext): Promise<Operation[]> {
  const { request, db } = await openServer(t, exampleWorld());
  const history = db.prepare<[], number>("SELECT max(id) FROM history").pluck();
  const kept: Operation[] = [];
  for (const operation of CHANGES) {
    const before = history.get();
    await sendExample(request, operation);
    if (history.get() !== before) kept.push(operation);
  }
  return kept;
}

const reads = (prefix: string) =>
  OPERATIONS.filter(
    (operation) =>
      operation.path.startsWith(prefix) &&
      !operation.changes &&
      !operation.isStream &&
      !isOfToday(operation) &&
      operation.id !== "getChangeRequestPlayground",
  );

/** What people and applications read. */
const READS = [
  ...reads("/api/admin").map((operation) => ({ operation, as: personal(1) })),
  ...reads("/api/client").map((operation) => ({ operation, as: CLIENT })),
  ...reads("/api/frontend").map((operation) => ({ operation, as: FRONTEND })),
];

test("whatever was answered then is answered now, to people and applications", async (t) => {
  const file = path.join(os.tmpdir(), `past-${process.pid}.db`);
  const { request, db } = await openServer(t, exampleWorld(), file);
  const answers = new Map<number, string[]>();
  const readAll = async (send: Send, at?: number) => {
    const all: string[] = [];
    for (const { operation, as } of READS)
      all.push(
        `${operation.id}: ${await sendExample(send, operation, at === undefined ? { as } : { as, at })}`,
      );
    return all;
  };
  // Once they are noted as seen, they won't be again for a minute.
  await readAll(request);
  await writeSeen(db);
  for (const [index, operation] of (await changesKept(t)).entries()) {
    // What is taken back wrongly is wrong in every state before it.
    if (index % 3 === 1) answers.set(lastEvent(db), await readAll(request));
    await sendExample(request, operation);
  }
  assert.ok(answers.size > 12 && READS.length > 100, `${answers.size} ${READS.length}`);
  for (const [event, expected] of answers)
    if (event > 0)
      assert.deepEqual(await readAll(serverAt(db, String(event))), expected, `after event ${event}`);
});

test("what is hidden from somebody today is hidden then too, wherever it was then", async (t) => {
  const world = createWorld()
    .project("open")
    .project("secret")
    .feature("a", "open")
    .member("secret", 2, 4)
    .member("secret", 4);
  const { request, db } = await openServer(t, world.feature("b", "secret").feature("c", "secret"));
  const change = (method: string, to: string, body: object = {}) =>
    request(`/api/admin/projects/${to}`, { method, body });
  await change("POST", "open/features/a/changeProject", { newProjectId: "secret" });
  const then = lastEvent(db);
  await change("POST", "secret/features/b/changeProject", { newProjectId: "open" });
  await change("DELETE", "secret/features/c");
  await change("PUT", "secret/settings", { mode: "private" });
  await request("/api/admin/archive/c", { method: "DELETE" });
  const ask = async (to: string, as: number) => {
    const reply = await request(`/api/admin/${to}?at=${then}`, { as: personal(as) });
    return reply.status === 200 ? JSON.stringify(reply.body) : reply.status;
  };
  for (const [viewer, isMember] of [
    [3, false],
    [4, true],
    [1, true],
  ] as const) {
    assert.equal(
      /secret/.test(String(await ask("projects", viewer))),
      isMember,
      `the projects, to ${viewer}`,
    );
    assert.equal(
      /"[abc]"/.test(String(await ask("search/features", viewer))),
      isMember,
      `flags, to ${viewer}`,
    );
    for (const flag of ["a", "b", "c"]) {
      assert.equal(
        await ask(`features/${flag}/tags`, viewer),
        isMember ? '{"version":1,"tags":[]}' : 404,
        flag,
      );
      assert.equal(
        typeof (await ask(`projects/secret/features/${flag}`, viewer)),
        isMember ? "string" : "number",
      );
    }
  }
  await change("DELETE", "secret/users/4/roles");
  assert.equal(await ask("features/b/tags", 4), 404, "whoever has left sees it no more");
});

test("whatever can't be shown is refused", async (t) => {
  const { request, db } = await openServer(t, createWorld().project("shop"));
  const refused = async (query: string, call: Parameters<typeof request>[1] = {}) => {
    const { status, body } = await request(`/api/admin/projects/shop/features?${query}`, call);
    return `${status} ${body.message}`;
  };
  assert.equal(
    await refused("at=soon"),
    "400 query.at: soon is not a time such as 2026-03-01T14:05:00Z, nor the id of an event",
  );
  assert.match(await refused("at=2020-01-01"), /^400 query.at: The history begins at /);
  assert.equal(await refused("at=2999-01-01"), "400 query.at: 2999-01-01 is in the future");
  assert.equal(await refused("at=99"), "400 query.at: There is no event 99");
  assert.equal(await refused("at=1&at=1"), "400 query.at: is given more than once");
  await request("/api/admin/projects/shop/features", { method: "POST", body: { name: "a" } });
  assert.match(
    await refused("at=1", { method: "POST", body: { name: "b" } }),
    /^403 This is as of 20.*Z: nothing can be changed$/,
  );
  const { status } = await request("/api/admin/projects/shop/features/b");
  assert.equal(status, 404);
  assert.equal(db.prepare("SELECT count(*) FROM features").pluck().get(), 1);
});

test("many times asked for at once, while changes go on, are all answered", async (t) => {
  const { request, db } = await openServer(t, createWorld().project("shop"));
  const add = (name: string) =>
    request("/api/admin/projects/shop/features", { method: "POST", body: { name } });
  const events: number[] = [];
  for (let count = 1; count <= 20; count++) {
    await add(`flag-${count}`);
    events.push(lastEvent(db));
  }
  const asked = events.map(async (event) => {
    const { body, headers } = await request(`/api/admin/projects/shop/features?at=${event}`);
    assert.match(headers.get("flagstone-at")!, /^20.*Z$/);
    return body.features.length;
  });
  const changes = Array.from({ length: 5 }, (_, index) => add(`later-${index}`));
  assert.deepEqual(
    await Promise.all(asked),
    events.map((_, index) => index + 1),
  );
  await Promise.all(changes);
  const { body, headers } = await request("/api/admin/projects/shop/features");
  assert.deepEqual([body.features.length, headers.get("flagstone-at")], [25, null]);
});

/** The server that shows a time. */
function serverAt(db: Database, at: string): Send {
  const { app } = createServer({ db, log: () => {}, at });
  return async (path, { method = "GET", as = personal(1), body }) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { authorization: as, "content-type": "application/json" };
    const response = await app.request(path, { method, headers, ...init });
    return { status: response.status, text: await response.text() };
  };
}
