import assert from "node:assert/strict";
import { test } from "node:test";
import { close, IN_MEMORY, open } from "../../src/db/open.ts";
import { replaceFlags } from "../../src/transfer/import.ts";
import { loadSeed } from "../../src/transfer/seed.ts";
import { openServer } from "../support/server.ts";
import { CLIENT, createWorld, personal } from "../support/world.ts";

const planted = async (seed: object) => {
  const db = open(IN_MEMORY);
  await loadSeed(db, Buffer.from(JSON.stringify(seed)));
  return db;
};

test("flags are replaced, and applications get each change; users and tokens stay", async (t) => {
  const world = createWorld()
    .project("a")
    .feature("gone", "a")
    .add("segment", { id: 1, name: "old", constraints: [] });
  const { db, request } = await openServer(t, world);
  const delta = (headers = {}) => request("/api/client/delta", { as: CLIENT, headers });
  const first = await delta();
  const from = await planted({ features: [{ name: "come", enabled: true }] });
  replaceFlags(db, from);
  replaceFlags(db, from);
  close(from);
  const { body } = await delta({ "if-none-match": first.headers.get("etag")! });
  assert.deepEqual(
    body.events.map(({ type, featureName, feature }: Record<string, { name: string }>) => [
      type,
      featureName ?? feature?.name,
    ]),
    [
      ["feature-removed", "gone"],
      ["feature-updated", "come"],
    ],
  );
  const { body: user } = await request("/api/admin/user", { as: personal(1) });
  assert.equal(user.user.id, 1);
  assert.equal((await request("/api/admin/projects")).body.projects.length, 1);
});

test("a reference to an unknown user leaves everything unchanged", async (t) => {
  const { db, request } = await openServer(t, createWorld().project("a").feature("kept", "a"));
  const other = await openServer(
    t,
    Array.from({ length: 3 })
      .reduce<ReturnType<typeof createWorld>>((all) => all.user(), createWorld())
      .project("b")
      .feature("liked", "b", { favoritedBy: [7] }),
  );
  assert.throws(() => replaceFlags(db, other.db), /7/);
  const { body } = await request("/api/admin/projects/a/features");
  assert.deepEqual(
    body.features.map(({ name }: { name: string }) => name),
    ["kept"],
  );
});
