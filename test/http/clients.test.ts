import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openServer } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";

/*
 * The requests of other programs written for the original, sent the way they send them, with the fields they read: a
 * server that lets an agent manage flags, an editor extension, a plugin of a developer portal.
 */

const PROJECT = "/api/admin/projects/default";
const FLAG = `${PROJECT}/features/checkout`;
const STRATEGIES = `${FLAG}/environments/development/strategies`;

/** A client with a user's token; it sends a content type even without a body. */
async function client(t: TestContext) {
  const { request } = await openServer(t, createWorld().project("default"));
  return async (method: string, path: string, status: number, body?: unknown) => {
    const headers = { "content-type": "application/json", accept: "application/json" };
    const reply = await request(path, {
      method,
      as: personal(1),
      headers,
      ...(body !== undefined && { body }),
    });
    assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`);
    return reply.body;
  };
}

const has = (object: Record<string, unknown>, keys: string) => {
  for (const key of keys.split(" ")) assert.ok(key in object, `${key} in ${JSON.stringify(object)}`);
};

const CONSTRAINT = { contextName: "appVersion", operator: "SEMVER_GTE", value: "2.0.0" };
const PARAMETERS = { rollout: "25", groupId: "checkout", stickiness: "default" };

test("a server for agents", async (t) => {
  const send = await client(t);
  const { projects } = await send("GET", "/api/admin/projects", 200);
  has(projects[0], "id name description mode createdAt");
  await send("POST", "/api/admin/context", 201, { name: "appVersion" });

  const flag = { name: "checkout", type: "release", description: "The new one", impressionData: false };
  has(
    await send("POST", `${PROJECT}/features`, 201, flag),
    "name type description project createdAt archived impressionData",
  );
  const { features } = await send("GET", `${PROJECT}/features`, 200);
  has(features[0], "name type description impressionData createdAt");

  const rollout = {
    name: "flexibleRollout",
    title: undefined,
    parameters: PARAMETERS,
    constraints: [CONSTRAINT],
  };
  const { id } = await send("POST", STRATEGIES, 200, rollout);
  await send("POST", `${FLAG}/environments/development/on`, 200);

  const read = await send("GET", FLAG, 200);
  has(read, "name description project type archived stale favorite impressionData createdAt environments");
  const [development] = read.environments;
  assert.deepEqual([development.name, development.enabled], ["development", true]);
  const [strategy] = development.strategies;
  has(strategy, "id name title disabled parameters constraints variants segments sortOrder");

  // It writes back everything it read of a strategy, with its changes.
  const { sortOrder: _, id: __, ...same } = strategy;
  const changed = { ...same, parameters: { ...PARAMETERS, rollout: "50" } };
  const updated = await send("PUT", `${STRATEGIES}/${id}`, 200, changed);
  assert.partialDeepStrictEqual(updated, { id, constraints: [CONSTRAINT], parameters: { rollout: "50" } });

  const found = await send("GET", "/api/admin/search/events?feature=IS:checkout&limit=10&offset=0", 200);
  assert.equal(found.total, 4);
  for (const event of found.events)
    has(event, "id summary label type createdBy createdAt environment featureName");

  await send("DELETE", `${STRATEGIES}/${id}`, 200);
  await send("POST", `${FLAG}/environments/development/off`, 200);
  await send("DELETE", FLAG, 202);
  const archived = await send(
    "GET",
    "/api/admin/search/features?project=IS:default&archived=IS:true&limit=100",
    200,
  );
  assert.deepEqual(
    archived.features.map(({ name }: { name: string }) => name),
    ["checkout"],
  );
  has(archived.features[0], "name description project type archivedAt impressionData createdAt");
});

test("its error messages name the cause", async (t) => {
  const send = await client(t);
  const wrong = await send("POST", `${PROJECT}/features`, 400, { name: "no good", type: "release" });
  assert.match(wrong.message, /^body\.name: /);
  assert.equal(typeof wrong.details[0].message, "string");
  const none = await send("GET", `${PROJECT}/features/none`, 404);
  assert.equal(none.details[0].message, none.message);
});

test("an editor extension, which validates responses", async (t) => {
  const send = await client(t);
  await send("POST", `${PROJECT}/features`, 201, { name: "parent" });
  await send("POST", `${PROJECT}/features`, 201, { name: "checkout" });
  await send("POST", `${FLAG}/dependencies`, 200, { feature: "parent" });
  await send("POST", STRATEGIES, 200, { name: "flexibleRollout", parameters: PARAMETERS });
  const { features } = await send("GET", `${PROJECT}/features`, 200);
  for (const { name, environments } of features) assertFlag({ name, environments });
  const detail = await send("GET", `${FLAG}?variantEnvironments=true`, 200);
  assertFlag(detail);
  assert.equal(detail.dependencies[0].feature, "parent");
  for (const { variants } of detail.environments) assert.deepEqual(variants, []);
});

function assertFlag({ name, environments }: { name: unknown; environments: Array<Record<string, unknown>> }) {
  assert.equal(typeof name, "string");
  assert.equal(environments.length, 2);
  for (const environment of environments) {
    assert.equal(typeof environment.name, "string");
    assert.equal(typeof environment.enabled, "boolean");
    for (const strategy of (environment.strategies ?? []) as Array<Record<string, object>>) {
      assert.deepEqual([typeof strategy.name, typeof strategy.disabled], ["string", "boolean"]);
      for (const key of ["constraints", "segments", "variants"]) assert.ok(Array.isArray(strategy[key]), key);
      for (const value of Object.values(strategy.parameters!)) assert.equal(typeof value, "string");
    }
  }
}

test("a portal plugin, which passes responses on", async (t) => {
  const send = await client(t);
  has((await send("GET", "/api/admin/projects", 200)).projects[0], "id name");
  has((await send("GET", "/api/admin/environments", 200)).environments[0], "name type enabled sortOrder");
  await send("POST", `${PROJECT}/features`, 201, { name: "checkout" });
  const { id } = await send("POST", STRATEGIES, 200, { name: "flexibleRollout", parameters: PARAMETERS });
  await send("POST", `${FLAG}/environments/development/on`, 200);
  await send("PUT", `${STRATEGIES}/${id}`, 200, { name: "flexibleRollout", title: "Half", constraints: [] });
  const variants = [{ name: "blue", weight: 1000, weightType: "variable", stickiness: "default" }];
  assert.deepEqual(await send("PUT", `${FLAG}/variants`, 200, variants), { version: 1, variants });
  assert.partialDeepStrictEqual(await send("GET", FLAG, 200), {
    name: "checkout",
    environments: [{ enabled: true, strategies: [{ title: "Half" }] }],
    variants,
  });
  await send("POST", `${FLAG}/environments/development/off`, 200);
});
