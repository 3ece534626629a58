import assert from "node:assert/strict";
import { test } from "node:test";
import { recordAgedFlags, watchAge } from "../../src/server/tasks.ts";
import { assertRecorded, openServer, watchLog } from "../support/server.ts";
import { createWorld } from "../support/world.ts";

const MADE = "2100-01-01T00:00:00.000Z";
const day = (count: number) => new Date(Date.parse(MADE) + count * 86_400_000);

const told = (featureName: string) =>
  ({
    type: "feature-potentially-stale-on",
    createdBy: "unleash_system_user",
    createdByUserId: -1337,
    project: "a",
    featureName,
    environment: null,
    data: null,
    preData: null,
  }) as const;

const world = () =>
  createWorld()
    .project("a")
    .feature("release", "a", { createdAt: MADE })
    .feature("operational", "a", { createdAt: MADE, type: "operational" })
    .feature("permission", "a", { createdAt: MADE, type: "permission" })
    .feature("unknown", "a", { createdAt: MADE, type: "of no type" })
    .feature("stale", "a", { createdAt: MADE, stale: true })
    .feature("archived", "a", { createdAt: MADE, archivedAt: MADE });

test("a live flag that outlives its type's expected lifetime is reported once", async (t) => {
  const { db } = await openServer(t, world());
  const recorded = watchLog(db);
  for (const count of [0, 7, 7.01, 8, 40, 41, 400]) await recordAgedFlags(db, day(count));
  assertRecorded(recorded(), [told("operational"), told("release")]);
});

test("it is reported again after a longer lifetime made it young, but not while it is stale", async (t) => {
  const { db, request } = await openServer(t, world());
  const recorded = watchLog(db);
  const update = (body: object) =>
    request("/api/admin/projects/a/features/operational", { method: "PUT", body });
  await recordAgedFlags(db, day(8));
  await update({ type: "release" });
  await recordAgedFlags(db, day(8));
  await update({ type: "operational", stale: true });
  await recordAgedFlags(db, day(9));
  await update({ type: "operational" });
  await recordAgedFlags(db, day(9));
  await recordAgedFlags(db, day(10));
  const [, ...later] = recorded().filter(({ type }) => type !== "feature-metadata-updated");
  assertRecorded(later, [told("operational")]);
});

test("any number of flags are each reported once, and changes are made in between", async (t) => {
  const many = createWorld().project("a");
  for (let count = 0; count < 250; count++) many.feature(`f${count}`, "a", { createdAt: MADE });
  const { db, request } = await openServer(t, many);
  const recorded = watchLog(db);
  const telling = recordAgedFlags(db, day(41));
  await request("/api/admin/projects/a/features", { method: "POST", body: { name: "new" } });
  await telling;
  await recordAgedFlags(db, day(41));
  const names = recorded()
    .filter(({ type }) => type === "feature-potentially-stale-on")
    .map(({ featureName }) => featureName);
  assert.equal(names.length, 251);
  assert.equal(new Set(names).size, 251);
});

test("a server reports at its start, and stops doing so when it stops", async (t) => {
  const old = createWorld()
    .project("a")
    .feature("f", "a", { createdAt: "2020-01-01T00:00:00Z", potentiallyStale: false });
  const { db } = await openServer(t, old);
  const recorded = watchLog(db);
  for (let start = 0; start < 2; start++) await watchAge(db, () => assert.fail("nothing to say"))();
  assert.ok(recorded().length <= 1);
  await recordAgedFlags(db, new Date());
  assertRecorded(recorded(), [told("f")]);
});
