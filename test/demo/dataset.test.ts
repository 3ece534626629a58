import assert from "node:assert/strict";
import { test } from "node:test";
import { hashSecret } from "../../src/access/token.ts";
import { close } from "../../src/db/open.ts";
import { makeDemo } from "../../src/demo/dataset.ts";
import { OPERATORS } from "../../src/evaluation/constraint.ts";
import { EVENT_TYPES } from "../../src/events/schema.ts";
import { STAGES } from "../../src/flags/features-schema.ts";
import { INTEGRATION_STATES } from "../../src/integrations/integrations-schema.ts";
import { importLines, newDatabase, openServer } from "../support/server.ts";
import { createWorld, personal, type World } from "../support/world.ts";

const NOW = Date.parse("2026-07-01T12:00:00.000Z");
// biome-ignore lint/suspicious/noExplicitAny: a line has the keys of its kind
const lines = makeDemo(NOW).lines as Array<Record<string, any>>;
const all = (kind: string) => lines.filter((line) => line.kind === kind);
const strategies = all("feature").flatMap((line) =>
  line.environments.flatMap((one: { strategies: [] }) => one.strategies),
);
const missing = (expected: readonly string[], found: string[]) =>
  expected.filter((one) => !found.includes(one));

test("the demo is deterministic for a given time", () => {
  assert.equal(JSON.stringify(makeDemo(NOW).lines), JSON.stringify(lines));
});

test("the demo can be imported", async () => {
  const db = newDatabase();
  const counts = await importLines(db, lines);
  close(db);
  assert.equal(counts.event, all("event").length);
});

test("the demo has every type of event, thousands of them, over the past year", () => {
  const events = all("event");
  assert.deepEqual(
    missing(
      EVENT_TYPES,
      events.map((event) => event.type),
    ),
    [],
  );
  assert.ok(events.length > 3000, `${events.length} events`);
  const times = events.map((event) => Date.parse(event.createdAt));
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  assert.ok(times.at(-1)! <= NOW && times.at(-1)! > NOW - 3 * 86_400_000);
  assert.ok(times[0]! < NOW - 340 * 86_400_000);
});

test("the demo has every strategy, operator, kind of variant and state", () => {
  const constraints = strategies.flatMap((one) => one.constraints);
  assert.deepEqual(
    missing(
      OPERATORS,
      constraints.map((one) => one.operator),
    ),
    [],
  );
  const names = ["default", "flexibleRollout", "userWithId", "remoteAddress", "applicationHostname"];
  assert.deepEqual(
    missing(
      names,
      strategies.map((one) => one.name),
    ),
    [],
  );
  const payloads = strategies.flatMap((one) => one.variants).map((one) => one.payload?.type);
  assert.deepEqual(missing(["json", "csv", "string", "number"], payloads), []);
  const states = all("integrationEvent").map((line) => line.state);
  assert.deepEqual(missing(INTEGRATION_STATES, states), []);
});

test("the demo has projects, flags and notifications of every kind", () => {
  assert.ok(all("feature").length > 200);
  assert.deepEqual(
    missing(
      ["open", "protected", "private"],
      all("project").map((line) => line.mode),
    ),
    [],
  );
  const readers = all("notification").map((line) => line.recipients.length);
  assert.ok(readers.includes(0) && readers.some((count) => count > 0), "read and unread ones");
  const flag = all("feature").find((line) => line.name === "payment-redesign");
  assert.ok(flag && flag.archivedAt === undefined, "the flag of the printed example exists");
});

test("the demo has usage of the last two days, for flags last seen now", () => {
  assert.ok(all("usage").length > 20, `${all("usage").length} flags`);
  const names = new Map(all("feature").map((line) => [line.name, line]));
  const [known, unknown] = [true, false].map((is) =>
    all("usage").filter((line) => names.has(line.feature) === is),
  );
  assert.equal(unknown!.length, 1, "a flag that doesn't exist is asked for");
  for (const { feature, environment, application, hours } of known!) {
    const states = names.get(feature)!.environments as Array<{ name: string; lastSeenAt?: string }>;
    assert.equal(states.find(({ name }) => name === environment)!.lastSeenAt, new Date(NOW).toISOString());
    assert.deepEqual([hours.length, hours.at(-1).hour], [48, "2026-07-01T12:00:00.000Z"]);
    assert.ok(all("application").some(({ name }) => name === application));
  }
});

test("the demo has as many flags and events as asked for, in every stage and mostly in working hours", async () => {
  const size = { flags: 60, events: 9000 };
  // biome-ignore lint/suspicious/noExplicitAny: a line has the keys of its kind
  const some = makeDemo(NOW, size).lines as Array<Record<string, any>>;
  const [features, events] = ["feature", "event"].map((kind) => some.filter((line) => line.kind === kind));
  assert.deepEqual([features!.length, events!.length], [size.flags, size.events]);
  const stages = features!.map(({ stages }) => stages.at(-1).stage);
  assert.deepEqual(missing(STAGES, stages), []);
  const nights = events!.filter(({ createdAt }) => ["00", "02", "04"].includes(createdAt.slice(11, 13)));
  assert.ok(nights.length < events!.length / 24, `${nights.length} at night`);
});

test("what went wrong in the demo can be undone", async (t) => {
  const token = { kind: "token", type: "user", name: "test", hash: hashSecret(personal(1)), userId: 1 };
  const world = { ...createWorld(), lines: [...makeDemo(Date.now()).lines, token] as World["lines"] };
  const { request } = await openServer(t, world);
  const { body } = await request("/api/admin/search/events?feature=IS:payment-redesign&limit=1");
  const [{ id, createdBy }] = body.events;
  assert.equal(createdBy, "farid@bikes.example");
  assert.equal((await request(`/api/admin/events/${id}/undo`, { method: "POST" })).status, 200);
});
