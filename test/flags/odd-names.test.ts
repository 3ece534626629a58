import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer } from "../support/server.ts";
import { CLIENT, createWorld, FRONTEND } from "../support/world.ts";

/*
 * Names that mean something to JavaScript, wherever a name may be: the same flags are on at every door, and a flag that
 * can't be evaluated leaves the others alone.
 */

const NAMES = ["properties", "__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "length"];

const JSON_TYPE = { "content-type": "application/json" };

const ON = { name: "development", enabled: true };

/** Flags that depend on a context field of this name: all are on if its value is `x`, and `unless` only then is off. */
function worldWith(name: string) {
  const constraint = { contextName: name, operator: "IN", values: ["x"] };
  const rollout = {
    name: "flexibleRollout",
    parameters: { rollout: "100", stickiness: name, groupId: name },
  };
  const variant = { name, weight: 1000, weightType: "variable", stickiness: name };
  const world = createWorld()
    .project("a")
    .project(name)
    .environment(name)
    .add("segment", { id: 1, name, constraints: [constraint] });
  const flag = (key: string, strategy: object, more: object = {}, project = "a") =>
    world.feature(key, project, {
      environments: [{ ...ON, strategies: [{ id: `s-${key}`, ...strategy }], ...more }],
    });
  flag("constrained", { name: "default", constraints: [constraint] });
  flag("unless", { name: "default", constraints: [{ ...constraint, operator: "NOT_IN" }] });
  flag("segmented", { name: "default", segments: [1] });
  flag("rolledOut", rollout);
  flag("varied", { ...rollout, parameters: { rollout: "100" }, variants: [variant] });
  flag("variedItself", { name: "default" }, { variants: [variant] });
  flag("custom", { name, parameters: Object.fromEntries([[name, "x"]]) });
  flag(name, { name: "default", parameters: Object.fromEntries([[name, "x"]]) }, {}, name);
  return flag("plain", { name: "default" });
}

type Named = { name: string; isEnabled?: boolean; error?: string };

/** The names of the flags that are on for a context, as JSON and as a query, at every door. */
async function openDoors(...given: Parameters<typeof openServer>) {
  const { request } = await openServer(...given);
  const post = async (path: string, as: string | undefined, body: string) => {
    const reply = await request(path, { method: "POST", ...(as && { as }), headers: JSON_TYPE, body });
    assert.equal(reply.status, 200, `${path}: ${reply.text}`);
    return reply.body;
  };
  const names = (toggles: Named[]) => toggles.map(({ name }) => name).sort();
  const explained = async (context: string) =>
    (await post("/api/admin/playground", undefined, `{"environment":"development","context":${context}}`))
      .features as Named[];
  return {
    request,
    explained,
    onAt: async (query: string, context: string) => {
      const get = await request(`/api/frontend?${query}`, { as: FRONTEND });
      const tried = `{"appName":"x",${context.slice(1)}`;
      const { features } = await post(
        "/api/admin/playground/advanced",
        undefined,
        `{"environments":["development"],"context":${tried}}`,
      );
      const { flags } = await post("/ofrep/v1/evaluate/flags", FRONTEND, `{"context":${context}}`);
      return {
        get: names(get.body.toggles),
        post: names((await post("/api/frontend", FRONTEND, `{"context":${context}}`)).toggles),
        ofrep: flags
          .filter((flag: { value: unknown }) => flag.value !== false)
          .map(({ key }: { key: string }) => key)
          .sort(),
        playground: names((await explained(tried)).filter(({ isEnabled }) => isEnabled)),
        advanced: names(
          features.filter(
            (flag: { environments: { development: Named[] } }) => flag.environments.development[0]!.isEnabled,
          ),
        ),
      };
    },
  };
}

const atAll = (names: string[]) => {
  const sorted = names.toSorted();
  return { get: sorted, post: sorted, ofrep: sorted, playground: sorted, advanced: sorted };
};

for (const name of NAMES)
  test(`a context field, a flag, a variant, a parameter, a segment, an environment, a project called ${name}`, async (t) => {
    const { request, onAt } = await openDoors(t, worldWith(name));
    const always = ["plain", name];
    const matching = ["constrained", "segmented", "rolledOut", "varied", "variedItself"];
    const isField = name !== "properties";
    const missing = isField ? ["unless", "varied", "variedItself"] : [];
    assert.deepEqual(await onAt("userId=7", '{"userId":"7"}'), atAll([...always, ...missing]));
    const inProperties = await onAt(`properties[${name}]=x`, `{"properties":{"${name}":"x"}}`);
    assert.deepEqual(inProperties, atAll([...always, ...(isField ? matching : [])]));
    if (isField)
      assert.deepEqual(await onAt(`${name}=x`, `{"${name}":"x"}`), atAll([...always, ...matching]));
    const order = `{"${name}":9}`;
    await request("/api/admin/environments/sort-order", { method: "PUT", headers: JSON_TYPE, body: order });
    const { environments } = (await request("/api/admin/environments")).body;
    assert.equal(environments.find((one: Named) => one.name === name).sortOrder, 9);
    const { body } = await request("/api/client/features", { as: CLIENT });
    const { strategies } = body.features.find((one: Named) => one.name === name);
    assert.deepEqual(strategies[0].parameters, Object.fromEntries([[name, "x"]]));
  });

test("a flag that can't be evaluated is off, and says why", async (t) => {
  const { request, explained } = await openDoors(t, worldWith("properties"));
  const error = "properties is not a field of the context, but contains fields";
  const features = await explained('{"appName":"x"}');
  const odd = ["constrained", "rolledOut", "segmented", "unless", "varied", "variedItself"];
  assert.deepEqual(
    features.filter((one) => one.error === error && !one.isEnabled).map((one) => one.name),
    odd,
  );
  const one = await request("/ofrep/v1/evaluate/flags/rolledOut", { method: "POST", as: FRONTEND, body: {} });
  assert.equal(one.status, 200);
  assert.partialDeepStrictEqual(one.body, { value: false, reason: "ERROR", metadata: { error } });
});

test("a property that is not text is refused, whatever its name", async (t) => {
  const { request } = await openServer(t);
  for (const name of NAMES) {
    const body = `{"environment":"development","context":{"appName":"x","properties":{"${name}":[7]}}}`;
    const reply = await request("/api/admin/playground", {
      method: "POST",
      headers: JSON_TYPE,
      body,
    });
    assert.equal(reply.body.details[0].path, `body.context.properties.${name}`);
  }
});
