import type { TestContext } from "node:test";
import type { Clock } from "../../src/integrations/attempt.ts";
import { type DispatcherOptions, startDispatcher } from "../../src/integrations/dispatcher.ts";
import type { IntegrationEvent } from "../../src/integrations/integrations-schema.ts";
import { until } from "./receiver.ts";
import { openServer } from "./server.ts";
import { createWorld, type World } from "./world.ts";

/** A clock that stands still until it is moved; whatever is due then runs at once, in order. */
export function createClock() {
  let now = Date.parse("2030-01-01T00:00:00.000Z");
  let due: Array<{ at: number; act: () => void }> = [];
  const clock: Clock & { move(ms: number): void; waits: () => number[] } = {
    now: () => now,
    random: () => 0,
    after(ms, act) {
      const one = { at: now + ms, act };
      due.push(one);
      return () => {
        due = due.filter((other) => other !== one);
      };
    },
    move(ms) {
      now += ms;
      const ready = due.filter(({ at }) => at <= now);
      due = due.filter(({ at }) => at > now);
      for (const { act } of ready) act();
    },
    /** The remaining time of each timer, in milliseconds. */
    waits: () => due.map(({ at }) => at - now).toSorted((a, b) => a - b),
  };
  return clock;
}

export const EVENTS = ["feature-created", "feature-archived"];

/** A project `a`, and whatever else is given. */
const worldOf = (given: (world: World) => World) => given(createWorld().project("a"));

/** A server that delivers, also to loopback addresses. */
export async function openDelivering(
  t: TestContext,
  { given = (w: World) => w, ...options }: { given?: (w: World) => World } & Partial<DispatcherOptions> = {},
) {
  let stop = async () => {};
  t.after(() => stop()); // before the database is closed
  const server = await openServer(t, worldOf(given));
  const { db, request } = server;
  const dispatcher = startDispatcher({
    db,
    log: (line) => server.logged.push(line),
    publicUrl: "https://flags.example",
    allowed: ["127.0.0.1"],
    ...options,
  });
  stop = dispatcher.stop;
  const records = async (id = 1): Promise<IntegrationEvent[]> =>
    (await request(`/api/admin/addons/${id}/events?limit=1000`)).body.integrationEvents;
  return {
    ...server,
    dispatcher,
    records,
    /** The attempts of an integration, newest first, once there are this many. */
    async recorded(count: number, id = 1) {
      const total = db.prepare("SELECT count(*) FROM integration_events WHERE integration_id = ?").pluck();
      await until(() => (total.get(id) as number) >= count, `${count} records`);
      return records(id);
    },
    waiting: (id = 1) =>
      db.prepare("SELECT count(*) FROM deliveries WHERE integration_id = ?").pluck().get(id) as number,
    addFlag: (name: string) => request("/api/admin/projects/a/features", { method: "POST", body: { name } }),
    integrate: (parameters: object, rest: object = {}) =>
      request("/api/admin/addons", {
        method: "POST",
        body: { provider: "webhook", enabled: true, parameters, events: EVENTS, ...rest },
      }),
  };
}
