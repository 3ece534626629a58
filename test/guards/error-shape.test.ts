import assert from "node:assert/strict";
import { test } from "node:test";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { toApiError } from "../../src/http/failure.ts";
import { ErrorBody } from "../../src/lib/api-error.ts";
import type { LogLine } from "../../src/lib/logger.ts";
import { createServer } from "../../src/server/app.ts";
import { assertMatches, importLines, openServer } from "../support/server.ts";
import { CLIENT, createWorld, personal } from "../support/world.ts";

const EVENTS = "/api/admin/events";
const SEARCH = `${EVENTS}/search`;

/** Every way in which a request can fail, with its error name. */
const FAILURES = [
  [401, "AuthenticationRequired", EVENTS, { as: null }],
  [403, "NoAccessError", EVENTS, { as: CLIENT }],
  [403, "NoAccessError", "/api/admin/user-admin/1", { as: personal(3) }],
  [404, "NotFoundError", "/api/admin/nope", {}],
  [404, "NotFoundError", "/nope", {}],
  [404, "NotFoundError", "/api/admin/addons/9/events", {}],
  [405, "MethodNotAllowedError", EVENTS, { method: "DELETE" }],
  [400, "ValidationError", `${EVENTS}?project=a&project=b`, {}],
  [400, "ValidationError", "/api/admin/user-admin/%zz", {}],
  [400, "ValidationError", SEARCH, { method: "POST", body: "{" }],
  [413, "PayloadTooLargeError", SEARCH, { method: "POST", body: `"${"x".repeat(1024 * 1024)}"` }],
  [
    415,
    "ContentTypeError",
    SEARCH,
    { method: "POST", body: "{}", headers: { "content-type": "text/plain" } },
  ],
] as const;

test("every failure has the standard body, a fresh id, and a log line with that id", async (t) => {
  const { request, logged } = await openServer(t);
  for (const [status, name, path, call] of FAILURES) {
    const reply = await request(path, call);
    assert.deepEqual([reply.status, reply.body.name], [status, name], `${name} ${path}`);
    assertMatches(ErrorBody, reply.body);
    const keys = ["id", "name", "message", "details"];
    if (status === 401) keys.push("path", "type", "defaultHidden"); // where to sign in
    assert.deepEqual(Object.keys(reply.body), keys);
    if (status !== 400) assert.deepEqual(reply.body.details, [{ message: reply.body.message }]);
    assert.equal(logged.at(-1)!.id, reply.body.id);
  }
  assert.equal(new Set(logged.map((line) => line.id)).size, FAILURES.length);
});

test("an unexpected error has a neutral message; its cause is only in the log", async () => {
  const db = open(IN_MEMORY);
  const logged: LogLine[] = [];
  const { app } = createServer({ db, log: (line) => logged.push(line) });
  await importLines(db, createWorld().lines);
  const headers = { authorization: personal(1) };
  db.exec("DROP TABLE events");
  const response = await app.request(EVENTS, { headers });
  const text = await response.text();
  assert.equal(response.status, 500);
  assertMatches(ErrorBody, JSON.parse(text));
  assert.equal(JSON.parse(text).name, "UnknownError");
  assert.doesNotMatch(text, /SELECT|events|sqlite|at /i);
  assert.match(String(logged.at(-1)!.cause), /no such table/);
  close(db);
});

test("a full disk is temporary: a 503 that says so", () => {
  const db = open(IN_MEMORY);
  db.pragma(`max_page_count = ${db.pragma("page_count", { simple: true })}`);
  const grow = () => db.exec("CREATE TABLE more (text); INSERT INTO more VALUES (hex(randomblob(100000)))");
  assert.throws(grow, (thrown) => {
    const error = toApiError(thrown);
    assert.deepEqual([error.status, error.name], [503, "ServiceUnavailableError"]);
    assert.match(error.message, /^The disk is full/);
    return error.headers["retry-after"] === "60";
  });
  close(db);
});
