import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, scenarios } from "../support/server.ts";
import { hourAgo, report, reportTo } from "../support/usage.ts";
import { createWorld, personal, type World } from "../support/world.ts";

const UNKNOWN = "/api/admin/metrics/unknown-flags";

type Server = Awaited<ReturnType<typeof openServer>>;

const unknownIn = async ({ request }: Server, as = personal(1)) =>
  (await request(UNKNOWN, { as })).body.unknownFlags;

const namesIn = async (server: Server, as?: string) =>
  (await unknownIn(server, as)).map(({ name }: { name: string }) => name);

test("flags that applications ask for and that don't exist are listed, for a day", async (t) => {
  const archivedAt = "2026-01-02T00:00:00.000Z";
  const world = createWorld().project("a").feature("f", "a").feature("archived", "a", { archivedAt });
  const server = await openServer(t, world);
  const use = { yes: 1, no: 0 };
  await reportTo(server, report({ f: use, archived: use, typo: use, idle: { yes: 0, no: 0 } }));
  await reportTo(server, report({ typo: use, older: use }, { appName: "app" }, hourAgo(20)));
  await reportTo(server, report({ oldest: use }, {}, hourAgo(26)));
  const [now, then] = [hourAgo(0), hourAgo(20)];
  const seen = (appName: string, seenAt: string) => ({
    appName,
    environments: [{ environment: "development", seenAt }],
  });
  assert.deepEqual(await unknownIn(server), [
    { name: "older", lastSeenAt: then, lastEventAt: null, reports: [seen("app", then)] },
    { name: "typo", lastSeenAt: now, lastEventAt: null, reports: [seen("app", then), seen("shop", now)] },
  ]);
});

test("an unknown flag is gone once it exists, and back if it is asked for after its deletion", async (t) => {
  const server = await openServer(t, createWorld().project("a"));
  const asked = () => reportTo(server, report({ typo: { yes: 1, no: 0 } }));
  await asked();
  assert.deepEqual(await namesIn(server), ["typo"]);
  await server.request("/api/admin/projects/a/features", { method: "POST", body: { name: "typo" } });
  assert.deepEqual(await namesIn(server), []);
  await server.request("/api/admin/projects/a/features/typo", { method: "DELETE" });
  await server.request("/api/admin/archive/typo", { method: "DELETE" });
  assert.deepEqual(await namesIn(server), []);
  await asked();
  const [unknown] = await unknownIn(server);
  assert.equal(unknown.name, "typo");
  assert.ok(unknown.lastEventAt > hourAgo(1), "when it was deleted");
});

const asked = (feature: string, application: string) => ({
  feature,
  application,
  environment: "development",
  hours: [{ hour: hourAgo(0) }],
});

const withHidden = (w: World) =>
  w
    .project("open")
    .project("hidden", { mode: "private" })
    .feature("f", "open")
    .feature("secret", "hidden")
    .event({ type: "feature-deleted", project: "hidden", featureName: "gone" })
    .add("usage", asked("typo", "app"))
    .add("usage", asked("gone", "app"))
    .add("usage", asked("f", "app"))
    .add("usage", asked("secret typo", "hidden app"))
    .add("usage", asked("secret", "hidden app"))
    .add("usage", asked("typo", "hidden app"));

const see =
  (expected: Record<string, string[]>) => (body: { unknownFlags: Array<Record<string, unknown>> }) => {
    const entries = body.unknownFlags.map(({ name, reports }) => [
      name,
      (reports as Array<{ appName: string }>).map(({ appName }) => appName),
    ]);
    assert.deepEqual(Object.fromEntries(entries), expected);
  };

scenarios(`GET ${UNKNOWN}`, [
  {
    name: "without deleted flags of hidden projects, and what only their applications ask for",
    as: personal(3),
    given: withHidden,
    see: see({ typo: ["app"] }),
  },
  {
    name: "an administrator sees all",
    given: withHidden,
    see: see({ gone: ["app"], "secret typo": ["hidden app"], typo: ["app", "hidden app"] }),
  },
  {
    name: "at most a thousand",
    given: (w) =>
      Array.from({ length: 1001 }, (_, n) => asked(`f${n}`, "app")).reduce(
        (w, line) => w.add("usage", line),
        w,
      ),
    see: ({ unknownFlags }) => assert.equal(unknownFlags.length, 1000),
  },
]);
