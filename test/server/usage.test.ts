import assert from "node:assert/strict";
import { test } from "node:test";
import { removeOldUsage, writeUsage } from "../../src/applications/usage-store.ts";
import type { Database } from "../../src/db/database.ts";
import type { LogLine } from "../../src/lib/logger.ts";
import { announceAll, watchUsage } from "../../src/server/tasks.ts";
import { assertRecorded, openServer, watchLog } from "../support/server.ts";
import { hourAgo, report, reportTo } from "../support/usage.ts";
import { CLIENT } from "../support/world.ts";

const HOUR_MS = 3_600_000;
const registration = { strategies: ["default"], started: 0, interval: 0 };
const count = (db: Database, table: string) =>
  db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get();

test("each new application is recorded once as an event", async (t) => {
  const { request, db } = await openServer(t);
  const recorded = watchLog(db);
  const register = async (appName: string) => {
    await request("/api/client/register", { method: "POST", as: CLIENT, body: { ...registration, appName } });
    await writeUsage(db);
  };
  await register("shop");
  await register("app");
  assertRecorded(recorded(), []);
  await announceAll(db);
  await register("shop");
  await announceAll(db);
  const data = {
    strategies: ["default"],
    createdBy: "unleash_system_user",
    description: null,
    url: null,
    color: null,
    icon: null,
  };
  const created = {
    type: "application-created",
    createdBy: "unleash_system_user",
    createdByUserId: -1337,
    project: null,
    environment: null,
    featureName: null,
    preData: null,
  } as const;
  assertRecorded(recorded(), [
    { ...created, data: { ...data, appName: "app" } },
    { ...created, data: { ...data, appName: "shop" } },
  ]);
});

test("usage is deleted after its retention, and instances after two days without a request", async (t) => {
  const server = await openServer(t);
  const { db } = server;
  await reportTo(server, report({ old: { yes: 1, variants: { a: 1 } }, both: { yes: 1 } }, {}, hourAgo(10)));
  await reportTo(server, report({ both: { yes: 1, variants: { a: 1 } } }));
  const counts = () =>
    ["usage_series", "hourly_usage", "hourly_variants", "application_instances"].map((table) =>
      count(db, table),
    );
  await removeOldUsage(db, { hours: 11 });
  assert.deepEqual(counts(), [2, 3, 2, 1]);
  await removeOldUsage(db, { hours: 9 });
  assert.deepEqual(counts(), [1, 1, 1, 1]);
  await removeOldUsage(db, { hours: 9, now: Date.now() + 47 * HOUR_MS });
  assert.deepEqual(counts(), [0, 0, 0, 1]);
  await removeOldUsage(db, { hours: 9, now: Date.now() + 49 * HOUR_MS });
  assert.deepEqual(counts(), [0, 0, 0, 0]);
});

test("remaining usage is written on shutdown, and a failure is logged", async (t) => {
  const { request, db } = await openServer(t);
  const lines: LogLine[] = [];
  const send = () =>
    request("/api/client/metrics", { method: "POST", as: CLIENT, body: report({ a: { yes: 1 } }) });
  const watched = async () => {
    const stop = watchUsage(db, (line) => lines.push(line), 48);
    await send();
    await stop();
  };
  await watched();
  assert.equal(count(db, "hourly_usage"), 1);
  db.pragma("query_only = 1");
  await watched();
  assert.ok(lines.length > 0 && lines.every(({ message }) => message.startsWith("writing usage data: ")));
});
