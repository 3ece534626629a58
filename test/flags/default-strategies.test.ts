import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRecorded, openServer, type Scenario, scenarios, watchLog } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const DEFAULT = "/api/admin/projects/a/environments/development/default-strategy";
const ROLLOUT = {
  name: "flexibleRollout",
  parameters: { rollout: "10", stickiness: "default", groupId: "" },
};

const withFlag = (w: World) => w.project("a").member("a", 3, 4).member("a", 4).feature("f", "a");
const on = (rest: Partial<Scenario>): Scenario => ({ name: "", given: withFlag, as: personal(3), ...rest });

const wrong = (body: unknown, path: string): Scenario =>
  on({
    name: `${JSON.stringify(body)} is refused for ${path}`,
    body,
    expect: [400, "ValidationError"],
    see: ({ details }) => assert.equal(details[0].path, `body.${path}`),
  });

scenarios(`POST ${DEFAULT}`, [
  on({ name: "no credential", as: null, body: ROLLOUT, expect: [401, "AuthenticationRequired"] }),
  on({ name: "a member of the project", as: personal(4), body: ROLLOUT, expect: [403, "NoAccessError"] }),
  ...[personal(3), personal(1), SERVICE].map((as, index) =>
    on({
      name: `an owner, an Admin, a service token: ${index}`,
      as,
      body: { ...ROLLOUT, segments: [999] },
      records: [
        {
          type: "default-strategy-updated",
          project: "a",
          environment: "development",
          featureName: null,
          data: { ...ROLLOUT, segments: [999] },
          preData: null,
        },
      ],
      see: (body) => assert.deepEqual(body, { ...ROLLOUT, segments: [999] }),
    }),
  ),
  wrong({}, "name"),
  wrong({ name: "default" }, "name"),
  wrong({ name: 5 }, "name"),
  wrong({ name: "flexibleRollout", parameters: "x" }, "parameters"),
  wrong({ name: "flexibleRollout", constraints: [{}] }, "constraints.0.contextName"),
  wrong({ name: "flexibleRollout", segments: ["x"] }, "segments.0"),
  ...["/nosuch/environments/development", "/a/environments/nosuch"].map((place) =>
    on({
      name: `${place} is not found`,
      as: SERVICE,
      url: DEFAULT.replace("/a/environments/development", place),
      body: ROLLOUT,
      expect: [404, "NotFoundError"],
    }),
  ),
]);

test("enabling a flag without strategies adds the project's default, with the flag as its groupId", async (t) => {
  const { request, db } = await openServer(t, withFlag(createWorld()).add("segment", { id: 1, name: "one" }));
  const body = { ...ROLLOUT, title: "Slow", disabled: null, segments: [1] };
  assert.equal((await request(DEFAULT, { method: "POST", body })).status, 200);
  const recorded = watchLog(db);
  await request("/api/admin/projects/a/features/f/environments/development/on", { method: "POST" });
  const parameters = { rollout: "10", stickiness: "default", groupId: "f" };
  assertRecorded(recorded(), [
    { type: "feature-strategy-add", data: { title: "Slow", disabled: false, segments: [1], parameters } },
    { type: "feature-environment-enabled" },
  ]);
});

test("a default with an unknown segment enables nothing", async (t) => {
  const { request, db } = await openServer(t, withFlag(createWorld()));
  await request(DEFAULT, { method: "POST", body: { ...ROLLOUT, segments: [999] } });
  const recorded = watchLog(db);
  const reply = await request("/api/admin/projects/a/features/f/environments/development/on", {
    method: "POST",
  });
  assert.deepEqual([reply.status, reply.body.name], [404, "NotFoundError"]);
  assertRecorded(recorded(), []);
});
