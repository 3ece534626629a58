import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";

const PATH = "/api/admin/search/events/histogram";

const at = (createdAt: string, type: string, project: string) => ({
  createdAt,
  type,
  project,
  createdBy: "x",
});

const WORLD = createWorld()
  .project("a")
  .project("secret", { mode: "private" })
  .event(at("2025-01-01T23:59:59.999Z", "feature-created", "a"))
  .event(at("2025-01-02T00:00:00.000Z", "feature-created", "secret"))
  .event(at("2025-01-02T12:00:00.000Z", "feature-archived", "a"));

test("a histogram counts the events of whole days in UTC that match", async (t) => {
  const { request } = await openServer(t, WORLD);
  const { body } = await request(`${PATH}?from=IS:2025-01-01&to=IS:2025-01-03`);
  assert.deepEqual(body.periods, [
    { from: "2025-01-01", to: "2025-01-01", count: 1 },
    { from: "2025-01-02", to: "2025-01-02", count: 2 },
    { from: "2025-01-03", to: "2025-01-03", count: 0 },
  ]);
  const created = await request(`${PATH}?from=IS:2025-01-01&to=IS:2025-01-02&type=IS:feature-created`);
  assert.deepEqual(
    created.body.periods.map(({ count }: { count: number }) => count),
    [1, 1],
  );
});

test("a long time is divided into at most 60 periods, which count every event once", async (t) => {
  const { request } = await openServer(t, WORLD);
  const { periods } = (await request(PATH)).body;
  assert.ok(periods.length <= 60 && periods.length > 30, String(periods.length));
  const { total } = (await request("/api/admin/search/events?limit=1")).body;
  assert.equal(
    periods.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
    total,
  );
});

test("only the first of several periods is shorter, and a text counts what contains it", async (t) => {
  const world = createWorld().project("a");
  const dates = Array.from({ length: 80 }, (_, index) =>
    new Date(Date.UTC(2025, 0, 1 + index)).toISOString(),
  );
  for (const date of dates) world.event(at(date, "feature-created", "a"));
  const { request } = await openServer(t, world);
  const { body } = await request(`${PATH}?to=IS:2025-03-21&query=Created`);
  assert.deepEqual(body.periods[0], { from: "2025-01-01", to: "2025-01-02", count: 2 });
  assert.deepEqual(body.periods.at(-1), { from: "2025-03-20", to: "2025-03-21", count: 2 });
  assert.equal(body.totalEvents, 80);
  assert.equal((await request(`${PATH}?query=archived`)).body.totalEvents, 0);
});

test("of too many events that contain a text, the newest thousand are counted", async (t) => {
  const world = createWorld().project("a");
  for (let count = 0; count < 1100; count++)
    world.event(at("2025-01-01T00:00:00.000Z", "feature-created", "a"));
  const { request } = await openServer(t, world);
  const { body } = await request(`${PATH}?query=created&to=IS:2025-01-01`);
  assert.deepEqual(body, { periods: [{ from: "2025-01-01", to: "2025-01-01", count: 1000 }] });
});

test("a histogram counts only what its reader may see", async (t) => {
  const { request } = await openServer(t, WORLD);
  const { body } = await request(`${PATH}?from=IS:2025-01-02&to=IS:2025-01-02`, { as: personal(3) });
  assert.deepEqual(body.periods, [{ from: "2025-01-02", to: "2025-01-02", count: 1 }]);
});

test("days the wrong way round have no periods, and what is no day is refused", async (t) => {
  const { request } = await openServer(t, WORLD);
  assert.deepEqual((await request(`${PATH}?from=IS:2025-02-01&to=IS:2025-01-01`)).body.periods, []);
  assert.equal((await request(`${PATH}?from=IS:yesterday`)).status, 400);
  assert.equal((await request(`${PATH}?from=IS:0001-01-01&to=IS:9999-12-31`)).status, 200);
});
